package dev.posthorn.log;

/**
 * The rules without which the engine loses, doubles or reorders events, or reads ever slower. Each can be lifted, by
 * tests of Posthorn itself only, to show that the test of that rule would notice.
 */
public enum Guard {
    /** The end of a window is the snapshot of the very statement that read it. */
    SNAPSHOT_OF_SAME_STATEMENT,
    /** A window that holds more than one batch is frozen and read to its end. */
    FROZEN_WINDOW,
    /** Transactions that were running at the window's start are read too. */
    STRAGGLERS,
    /** They are merged by seq with the others, not put behind them. */
    MERGED_STRAGGLERS,
    /** A walk ends at the window's greatest seq. */
    UPPER_BOUND,
    /** The window's least seq is looked up by transaction, not by walking the history. */
    BOUNDS_BY_TRANSACTION,
    /** Each straggler is looked up by itself. */
    STRAGGLERS_ONE_BY_ONE,
    /** The session's planner settings are pinned. */
    PINNED_PLANS,
    /** Reads end at a number of bytes. */
    BYTE_LIMIT,
    /** A standby is refused. */
    PRIMARY_ONLY,
    /** Another cluster, or one whose transaction ids are behind, is refused. */
    SAME_CLUSTER,
    /** After a move, events beyond what a lane ever read count as unsettled. */
    UNREAD_IS_UNSETTLED,
    /** After a move, events that the new cluster gave a number below what lanes had read are given another. */
    EARLY_EVENTS_ARE_UNSETTLED,
    /** The mark moves over settled events from the front only. */
    MARK_WITHOUT_HOLES,
    /** What is read beyond the persisted mark is at most the in-flight limit. */
    BOUNDED_BEYOND_PERSISTED_MARK,
    /** A settle needs the lane's current epoch. */
    EPOCH_FENCE,
    /** Trust in a lease counts from the start of the renewal. */
    TRUST_FROM_START,
    /** Nothing is sent that could outlive the trust. */
    TRUST_OUTLASTS_SEND,
    /** An instance without a lane counts in the sharing. */
    NEWCOMERS_COUNT,
    /** All lanes of a generation stop at one snapshot. */
    COMMON_STOP,
    /** Later events of a blocked key are held. */
    BLOCKED_KEYS,
    /** Events that a former owner gave a row or a dead letter are skipped. */
    SKIP_KNOWN,
    /** A lane that changes hands too often sends one event at a time, each attempt written down before. */
    CARE,
    /** The owners of a generation that ends are fenced off before its delivery rows are moved. */
    FENCED_BEFORE_ROWS_MOVE,
    /** A lane reads by the filter that its generation began with, not by that of whoever owns it. */
    STORED_FILTER,
    /** A key goes on only after the commit of what freed it. */
    UNBLOCK_AFTER_COMMIT,
    /** The rows of the events that a mark passes are written with it, not by the next settle. */
    ROWS_WITH_MARK,
    /** What the database does not take of one event is set aside, and the rest of its settle is written. */
    SET_ASIDE_ALONE,
    /** A settle whose answer was lost is not done again. */
    SETTLE_ONCE,
    /** The mark passes an event when it is answered, not when it is sent. */
    SETTLE_AFTER_ANSWER,
    /** A lane made at a snapshot counts the events of its past as read, or a move would deliver them. */
    PAST_IS_READ,
    /** A session waits for an answer only so long. */
    BOUNDED_PATIENCE,
    /** A partition counts as settled by the transactions that wrote it, not by its numbers. */
    PASSED_BY_TRANSACTION,
    /** What a lane has read is good only as long as the connection that it was read on. */
    READS_END_WITH_SESSION,
    /** An event in hand is known again by its id, not by its number alone. */
    KNOWN_BY_ID,
    /** Epochs and turns are random, not counted. */
    RANDOM_EPOCHS,
    /** On a new connection a lease is trusted no longer than the database says. */
    TRUST_AS_STORED,
    /** Whether a partition may go is looked at again when nobody can read the log any more. */
    DUE_UNDER_LOCK,
    /** A generation that has not begun is replaced by what is wanted next, or withdrawn for it. */
    NEWEST_WISH,
    /** What an older revision of a document wants counts no more. */
    WISH_BY_REVISION,
    /** A lane's first orders are younger than its take-over. */
    ORDERS_AFTER_TAKE_OVER
}
