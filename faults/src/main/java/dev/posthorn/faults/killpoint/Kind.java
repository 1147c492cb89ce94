package dev.posthorn.faults.killpoint;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.regex.Pattern;

/** What a statement of a lane does, by its text and, where that does not tell, by its values. */
public enum Kind {
    MARK("UPDATE \\S+\\.lane_mark"),
    /** Nothing else with it, which only the whole of a unit can tell. */
    MARK_ALONE("(?!)"),
    RECEIPT("INSERT INTO \\S+\\.receipt"),
    GAUGE("INSERT INTO \\S+\\.lane_gauge"),
    RETRY_ROW("INSERT INTO \\S+\\.delivery .*[{,\"]WAITING[\",}]"),
    HELD_ROW("INSERT INTO \\S+\\.delivery .*[{,\"]HELD[\",}]"),
    ROW_REMOVED("DELETE FROM \\S+\\.delivery"),
    HELD_PAGE("key = k AND state = 'HELD' ORDER BY place"),
    ATTEMPT("INSERT INTO \\S+\\.attempt"),
    DEAD_LETTER("INSERT INTO \\S+\\.dead_letter"),
    REPLAY_LOOKED_AT("UPDATE \\S+\\.replay r SET state = CASE"),
    ITEM_COUNTED("INSERT INTO \\S+\\.replay_delivered"),
    ITEM_FAILED("UPDATE \\S+\\.replay_item i SET state = r\\.state"),
    REPLAY_FAILED("UPDATE \\S+\\.dead_letter l SET attempts"),
    REPLAY_DELIVERED("DELETE FROM \\S+\\.dead_letter"),
    LETTER_RELEASED("SET holds_key = false"),
    LETTER_DISCARDED("SET discarded_at"),
    COMMAND_ANSWERED("UPDATE \\S+\\.command");

    private final Pattern pattern;

    Kind(String pattern) {
        this.pattern = Pattern.compile(pattern);
    }

    /** @param statement its text in one line, and the arrays among its values */
    static Set<Kind> of(String statement) {
        Set<Kind> kinds = EnumSet.noneOf(Kind.class);
        Arrays.stream(values())
                .filter(kind -> kind.pattern.matcher(statement).find())
                .forEach(kinds::add);
        return kinds;
    }
}
