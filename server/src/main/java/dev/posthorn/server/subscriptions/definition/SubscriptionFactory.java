package dev.posthorn.server.subscriptions.definition;

import dev.posthorn.server.json.Durations;
import dev.posthorn.server.problem.Violation;
import dev.posthorn.server.subscriptions.sinks.CheckedBuilder;
import dev.posthorn.server.subscriptions.sinks.SinkContext;
import dev.posthorn.server.subscriptions.sinks.SinkDocument;
import dev.posthorn.server.web.Parameters;
import dev.posthorn.sink.Sink;
import dev.posthorn.subscription.AfterDeadLetter;
import dev.posthorn.subscription.KeepAttempts;
import dev.posthorn.subscription.Ordering;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.subscription.WhenUnavailable;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Makes a document what the relay serves. What cannot be is a problem that names the field. */
public final class SubscriptionFactory {

    private static final Duration LONGEST_TIMEOUT = Duration.ofHours(1);
    private static final int LONGEST_DESCRIPTION = 1_000;
    private static final int GREATEST_NUMBER = 1_000_000;
    private static final int GREATEST_BATCH = 100_000;
    private static final long GREATEST_BYTES = 1L << 30;
    private static final double LEAST_RATE = 0.01;
    private static final double GREATEST_RATE = 1_000_000;

    private final SinkContext context;
    private final Duration sessionTtl;

    /** Refuses a subscription whose timeout needs a longer session than the hub's. */
    public SubscriptionFactory(SinkContext context, Duration sessionTtl) {
        this.context = context;
        this.sessionTtl = sessionTtl;
    }

    public Subscription subscription(String name, SubscriptionDocument document) {
        return subscription(name, document, UnaryOperator.identity());
    }

    /** With another sink around its own. */
    public Subscription subscription(String name, SubscriptionDocument document, UnaryOperator<Sink> around) {
        check(CheckedBuilder.whole(document));
        Subscription.Builder builder = Subscription.to(name, around.apply(sink(document)));
        return fitting(CheckedBuilder.of("name", builder, Subscription.Builder::build)
                .add("timeout", document.timeout(), Subscription.Builder::timeout)
                .add("filter", document.filter(), (b, filter) -> b.filter(filter.filter()))
                .add("retry", document.retry(), (b, retry) -> b.retry(retry.policy()))
                .add("inFlightLimit", document.inFlightLimit(), Subscription.Builder::inFlightLimit)
                .add("inFlightBytes", document.inFlightBytes(), Subscription.Builder::inFlightBytes)
                .add("ratePerSecond", document.ratePerSecond(), Subscription.Builder::ratePerSecond)
                .add("lanes", document.lanes(), Subscription.Builder::lanes)
                .add("ordering", document.ordering(), (b, choice) -> b.ordering(Ordering.valueOf(choice.name())))
                .add(
                        "afterDeadLetter",
                        document.afterDeadLetter(),
                        (b, choice) -> b.afterDeadLetter(AfterDeadLetter.valueOf(choice.name())))
                .add(
                        "whenUnavailable",
                        document.whenUnavailable(),
                        (b, choice) -> b.whenUnavailable(WhenUnavailable.valueOf(choice.name())))
                .add("breakerAfter", document.breakerAfter(), Subscription.Builder::breakerAfter)
                .add("blockedKeysLimit", document.blockedKeysLimit(), Subscription.Builder::blockedKeysLimit)
                .add(
                        "keepAttempts",
                        document.keepAttempts(),
                        (b, choice) -> b.keepAttempts(KeepAttempts.valueOf(choice.name())))
                .add("batchSize", document.batchSize(), Subscription.Builder::batchSize)
                .add("pollInterval", document.pollInterval(), (b, interval) -> interval.apply(b))
                .add("start", document.start(), (b, start) -> start.apply(b))
                .build());
    }

    /** Two sends have to end while nobody else can have the lane. */
    private Subscription fitting(Subscription subscription) {
        if (sessionTtl.compareTo(subscription.leastSessionTtl()) < 0) {
            throw Parameters.refused(
                    "timeout",
                    "is " + Durations.print(subscription.timeout())
                            + "; it needs posthorn.relay.session-ttl of at least "
                            + Durations.print(subscription.leastSessionTtl()) + ", and that is "
                            + Durations.print(sessionTtl)
                            + ". Give a shorter one, or set the hub's session-ttl higher");
        }
        return subscription;
    }

    private Sink sink(SubscriptionDocument document) {
        return Objects.requireNonNull(document.sink()).build(context);
    }

    /** Why nothing can be sent there at present. */
    public Optional<Violation> refusal(SinkDocument sink, Subscription subscription) {
        return sink.refusal(subscription.sink(), context);
    }

    private static void requireNumber(String field, @Nullable Number number, long greatest) {
        if (number != null && (number.longValue() < 1 || number.longValue() > greatest)) {
            throw Parameters.refused(field, "is " + number + "; it must be from 1 to " + greatest);
        }
    }

    private static void requireNoLonger(String field, @Nullable Duration time, Duration longest) {
        if (time != null && time.compareTo(longest) > 0) {
            throw Parameters.refused(field, "is longer than " + Durations.print(longest) + "; give a shorter one");
        }
    }

    private static void check(SubscriptionDocument document) {
        if (document.description() != null && document.description().length() > LONGEST_DESCRIPTION) {
            throw Parameters.refused("description", "must have at most " + LONGEST_DESCRIPTION + " characters");
        }
        requireNoLonger("timeout", document.timeout(), LONGEST_TIMEOUT);
        requireNumber("inFlightLimit", document.inFlightLimit(), GREATEST_NUMBER);
        requireNumber("inFlightBytes", document.inFlightBytes(), GREATEST_BYTES);
        requireNumber("breakerAfter", document.breakerAfter(), GREATEST_NUMBER);
        requireNumber("blockedKeysLimit", document.blockedKeysLimit(), GREATEST_NUMBER);
        requireNumber("batchSize", document.batchSize(), GREATEST_BATCH);
        Double rate = document.ratePerSecond();
        if (rate != null && !(rate >= LEAST_RATE && rate <= GREATEST_RATE)) {
            throw Parameters.refused("ratePerSecond", "is " + rate + "; it must be from 0.01 to 1000000, or left out");
        }
    }
}
