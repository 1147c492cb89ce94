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

    /** A lease has to outlast two sends, and what a pause between looking at the clock and acting may take. */
    private static final Duration LEASE_MARGIN = Duration.ofSeconds(1);

    private static final Duration LONGEST_TIMEOUT = Duration.ofHours(1);
    private static final int LONGEST_DESCRIPTION = 1_000;
    private static final Duration LONGEST_LEASE = Duration.ofDays(1);
    private static final int GREATEST_NUMBER = 1_000_000;
    private static final int GREATEST_BATCH = 100_000;
    private static final long GREATEST_BYTES = 1L << 30;
    private static final double LEAST_RATE = 0.01;
    private static final double GREATEST_RATE = 1_000_000;

    private final SinkContext context;
    private final @Nullable Duration leaseTtl;

    /** A given lease time is lengthened for a subscription whose timeout needs a longer one. */
    public SubscriptionFactory(SinkContext context, @Nullable Duration leaseTtl) {
        this.context = context;
        this.leaseTtl = leaseTtl;
    }

    public Subscription subscription(String name, SubscriptionDocument document) {
        return subscription(name, document, UnaryOperator.identity());
    }

    /** With another sink around its own. */
    public Subscription subscription(String name, SubscriptionDocument document, UnaryOperator<Sink> around) {
        check(CheckedBuilder.whole(document));
        Subscription.Builder builder = Subscription.to(name, around.apply(sink(document)));
        return CheckedBuilder.of("name", builder, Subscription.Builder::build)
                .add("timeout", document.timeout(), Subscription.Builder::timeout)
                .add("leaseTtl", leaseTtl(document), Subscription.Builder::leaseTtl)
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
                .build();
    }

    private Sink sink(SubscriptionDocument document) {
        return Objects.requireNonNull(document.sink()).build(context);
    }

    /** Why nothing can be sent there at present. */
    public Optional<Violation> refusal(SinkDocument sink, Subscription subscription) {
        return sink.refusal(subscription.sink(), context);
    }

    /** The document's own counts as it is; the hub's is made long enough. */
    private @Nullable Duration leaseTtl(SubscriptionDocument document) {
        if (document.leaseTtl() != null || leaseTtl == null) {
            return document.leaseTtl();
        }
        Duration timeout = document.timeout() == null ? Duration.ofSeconds(10) : document.timeout();
        Duration least = timeout.multipliedBy(2).plus(LEASE_MARGIN);
        return leaseTtl.compareTo(least) < 0 ? least : leaseTtl;
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
        requireNoLonger("leaseTtl", document.leaseTtl(), LONGEST_LEASE);
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
