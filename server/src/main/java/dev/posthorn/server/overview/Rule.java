package dev.posthorn.server.overview;

import java.time.Duration;

/** When somebody should be told, as docs/alerts.yaml has it for Prometheus; a test holds the two against each other. */
enum Rule {
    DATABASE_AWAY(
            "PosthornDatabaseAway", Severity.CRITICAL, Duration.ZERO, "Start the database; nothing is lost meanwhile."),
    BACKLOG_OLD(
            "PosthornBacklogOld",
            Severity.PAGE,
            Duration.ZERO,
            "See in its list of attempts what the receiver says, and whether it keeps up."),
    DEAD_LETTERS(
            "PosthornDeadLetters",
            Severity.CRITICAL,
            Duration.ZERO,
            "Open its dead letters: mend the cause, then replay them, or discard them."),
    GUARD_IN_DOUBT(
            "PosthornGuardInDoubt",
            Severity.CRITICAL,
            Duration.ZERO,
            "Ask the target what it has done, then decide each of the forwards."),
    STUCK(
            "PosthornStuck",
            Severity.CRITICAL,
            Duration.ZERO,
            "See whether the instance that owns the lane still runs; a restart frees its lanes."),
    LANES_WITHOUT_OWNER(
            "PosthornLanesWithoutOwner",
            Severity.CRITICAL,
            Duration.ofMinutes(2),
            "Start a hub that delivers, or the application that serves it."),
    INGEST_UNAVAILABLE(
            "PosthornIngestUnavailable",
            Severity.CRITICAL,
            Duration.ofMinutes(2),
            "See in the hub's log why the database takes no events."),
    DEAD_LETTERS_STAY(
            "PosthornDeadLettersStay",
            Severity.WARNING,
            Duration.ZERO,
            "Decide what is to become of its dead letters."),
    BACKLOG(
            "PosthornBacklog",
            Severity.WARNING,
            Duration.ofMinutes(5),
            "See whether its receiver keeps up; more lanes or a higher limit may help."),
    SLOW("PosthornSlow", Severity.WARNING, Duration.ZERO, "See whether its receiver keeps up."),
    MANY_RETRIES(
            "PosthornManyRetries",
            Severity.WARNING,
            Duration.ofMinutes(5),
            "See in its list of attempts what the receiver answers."),
    BREAKER_OPEN(
            "PosthornBreakerOpen",
            Severity.WARNING,
            Duration.ofMinutes(5),
            "See whether the receiver runs and can be reached from here."),
    DENIAL(
            "PosthornDenial",
            Severity.WARNING,
            Duration.ofMinutes(5),
            "See what the receiver answers; its credentials or its address may have changed."),
    RETENTION_HELD(
            "PosthornRetentionHeld",
            Severity.WARNING,
            Duration.ZERO,
            "Have it catch up, or let go of its old events, so that the log can be cut.");

    /** How bad it is, the worst first. */
    enum Severity {
        PAGE,
        CRITICAL,
        WARNING
    }

    static final long MANY_PENDING = 1000;
    static final Duration OLD = Duration.ofMinutes(5);
    static final Duration STAYS = Duration.ofDays(1);
    static final Duration SLOW_FROM = Duration.ofMinutes(5);
    static final double MANY_FAIL = 0.1;

    private final String label;
    private final Severity severity;
    private final Duration holdsFor;
    private final String remedy;

    Rule(String label, Severity severity, Duration holdsFor, String remedy) {
        this.label = label;
        this.severity = severity;
        this.holdsFor = holdsFor;
        this.remedy = remedy;
    }

    /** Its name in docs/alerts.yaml. */
    String label() {
        return label;
    }

    Severity severity() {
        return severity;
    }

    /** For how long it must be so before somebody is told. */
    Duration holdsFor() {
        return holdsFor;
    }

    String remedy() {
        return remedy;
    }
}
