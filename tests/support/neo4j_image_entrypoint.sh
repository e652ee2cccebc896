#!/bin/bash
# Stands in for the official image's entrypoint where that image cannot be pulled. It keeps the part of the
# contract that kg.server relies on:
#   - NEO4J_some_setting__name=value becomes some.setting_name=value in neo4j.conf (_ is a dot, __ is _);
#   - server.jvm.additional and the heap sizes become flags of Java;
#   - the store is in the volume /data, the logs are in /logs, both of user 7474, who runs the server;
#   - the server is process 1, writes its log to the output and ends in good order on SIGTERM.
set -euo pipefail

home=/var/lib/neo4j
conf=$home/conf/neo4j.conf

{
    echo "server.directories.data=/data"
    echo "server.directories.logs=/logs"
    for variable in $(compgen -e NEO4J_ | sort); do
        key=$(sed 's/^NEO4J_//; s/_/./g; s/\.\./_/g' <<<"$variable")
        echo "$key=${!variable}"
    done
} >"$conf"

value() { sed -n "s/^$1=//p" "$conf"; }

flags=(-XX:+UseG1GC -XX:+AlwaysPreTouch "-Xms$(value server.memory.heap.initial_size)"
    "-Xmx$(value server.memory.heap.max_size)" --add-opens=java.base/java.nio=ALL-UNNAMED
    --add-opens=java.base/java.io=ALL-UNNAMED --add-opens=java.base/sun.nio.ch=ALL-UNNAMED)
for flag in $(value server.jvm.additional); do
    flags+=("$flag")
done

chown 7474:7474 /data /logs "$home"
exec setpriv --reuid=7474 --regid=7474 --clear-groups \
    /opt/java/bin/java "${flags[@]}" -cp "$home/lib/*" org.neo4j.server.CommunityEntryPoint \
    --home-dir="$home" --config-dir="$home/conf" --console-mode
