"""Neo4j servers: local process, Docker container or a given URI."""
