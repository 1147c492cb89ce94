package dev.posthorn.error;

/** What went wrong, in a form that a program can act on. */
public enum ErrorCode {
    /** An event breaks a rule; the message names the field and the limit. */
    INVALID_EVENT(Kind.USER),
    /** The connection commits each statement by itself, so there is no transaction to join. */
    AUTO_COMMIT(Kind.USER),
    /** What was asked for breaks a rule; the message names the field and the limit. */
    INVALID_REQUEST(Kind.USER),
    /** What was asked for does not exist, or no longer. */
    NOT_FOUND(Kind.USER),
    /** What was asked for does not go with the state that it is in. */
    CONFLICT(Kind.USER),
    /** A setting is missing or contradicts another. */
    INVALID_SETTING(Kind.CONFIGURATION),
    /** The schema is not installed, or is older or newer than this library. */
    SCHEMA_MISMATCH(Kind.CONFIGURATION),
    /** The server is no PostgreSQL, or one that is too old. */
    UNSUPPORTED_DATABASE(Kind.CONFIGURATION),
    /** The server is a standby; its snapshots cannot be read from. */
    IN_RECOVERY(Kind.CONFIGURATION),
    /** The data was moved to another cluster, whose transaction ids do not compare with the stored ones. */
    CLUSTER_CHANGED(Kind.CONFIGURATION),
    /** PostgreSQL did not do what it was asked; usually passing. */
    DATABASE(Kind.EXTERNAL);

    /** Who can put it right. */
    public enum Kind {
        USER,
        CONFIGURATION,
        EXTERNAL
    }

    private final Kind kind;

    ErrorCode(Kind kind) {
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
