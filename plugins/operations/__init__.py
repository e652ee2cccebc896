"""Operations that write a new or changed run: merge, rescore, judge."""
