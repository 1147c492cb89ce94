package dev.posthorn.server.subscriptions;

import dev.posthorn.relay.AfterDeadLetter;
import dev.posthorn.relay.Ordering;
import dev.posthorn.relay.Subscription;
import dev.posthorn.relay.WhenUnavailable;
import dev.posthorn.server.problem.Violation;
import dev.posthorn.server.subscriptions.sinks.Assembly;
import dev.posthorn.server.subscriptions.sinks.SinkDocument;
import dev.posthorn.server.subscriptions.sinks.Surroundings;
import dev.posthorn.sink.Sink;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Makes a document what the relay serves. What cannot be is a problem that names the field. */
final class Translation {

    /** A lease has to outlast two sends, and what a pause between looking at the clock and acting may take. */
    private static final Duration LEASE_MARGIN = Duration.ofSeconds(1);

    private static final Duration LONGEST_TIMEOUT = Duration.ofHours(1);
    private static final int LONGEST_DESCRIPTION = 1_000;
    private static final int GREATEST_NUMBER = 1_000_000;
    private static final double LEAST_RATE = 0.01;
    private static final double GREATEST_RATE = 1_000_000;

    private final Surroundings surroundings;
    private final @Nullable Duration leaseTtl;

    /** A given lease time is lengthened for a subscription whose timeout needs a longer one. */
    Translation(Surroundings surroundings, @Nullable Duration leaseTtl) {
        this.surroundings = surroundings;
        this.leaseTtl = leaseTtl;
    }

    Subscription subscription(String name, Document document) {
        return subscription(name, document, UnaryOperator.identity());
    }

    /** With another sink around its own. */
    Subscription subscription(String name, Document document, UnaryOperator<Sink> around) {
        check(document);
        Subscription.Builder builder = Subscription.to(name, around.apply(sink(document)));
        return Assembly.of("name", builder, Subscription.Builder::build)
                .add("timeout", document.timeout(), Subscription.Builder::timeout)
                .add("leaseTtl", leaseTtl(document), Subscription.Builder::leaseTtl)
                .add("filter", document.filter(), (b, filter) -> b.filter(filter.filter()))
                .add("retry", document.retry(), (b, retry) -> b.retry(retry.policy()))
                .add("inFlightLimit", document.inFlightLimit(), Subscription.Builder::inFlightLimit)
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
                .add("start", document.start(), (b, start) -> start.apply(b))
                .build();
    }

    private Sink sink(Document document) {
        return Assembly.required("sink", document.sink()).build(surroundings);
    }

    /** Why nothing can be sent there at present. */
    Optional<Violation> refusal(SinkDocument sink, Subscription subscription) {
        return sink.refusal(subscription.sink(), surroundings);
    }

    private @Nullable Duration leaseTtl(Document document) {
        if (leaseTtl == null) {
            return null;
        }
        Duration timeout = document.timeout() == null ? Duration.ofSeconds(10) : document.timeout();
        Duration least = timeout.multipliedBy(2).plus(LEASE_MARGIN);
        return leaseTtl.compareTo(least) < 0 ? least : leaseTtl;
    }

    private static void requireNumber(String field, @Nullable Integer number) {
        if (number != null && (number < 1 || number > GREATEST_NUMBER)) {
            throw Assembly.refusal(field, "is " + number + "; it must be from 1 to " + GREATEST_NUMBER);
        }
    }

    private static void check(Document document) {
        if (document.description() != null && document.description().length() > LONGEST_DESCRIPTION) {
            throw Assembly.refusal("description", "must have at most " + LONGEST_DESCRIPTION + " characters");
        }
        Duration timeout = document.timeout();
        if (timeout != null && timeout.compareTo(LONGEST_TIMEOUT) > 0) {
            throw Assembly.refusal("timeout", "is longer than 1h; give a shorter one");
        }
        requireNumber("inFlightLimit", document.inFlightLimit());
        requireNumber("breakerAfter", document.breakerAfter());
        requireNumber("blockedKeysLimit", document.blockedKeysLimit());
        Double rate = document.ratePerSecond();
        if (rate != null && !(rate >= LEAST_RATE && rate <= GREATEST_RATE)) {
            throw Assembly.refusal("ratePerSecond", "is " + rate + "; it must be from 0.01 to 1000000, or left out");
        }
    }
}
