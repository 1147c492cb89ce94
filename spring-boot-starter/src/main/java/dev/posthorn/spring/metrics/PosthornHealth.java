package dev.posthorn.spring.metrics;

import dev.posthorn.error.PosthornException;
import dev.posthorn.log.Schema;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.Relay;
import dev.posthorn.status.Gauges;
import dev.posthorn.status.SubscriptionGauges;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Whether this instance can record, and deliver if that is its part. A receiver that is away, an event that waits and a
 * dead letter are details: another instance would do no better, so nobody is to restart this one for them.
 */
final class PosthornHealth extends AbstractHealthIndicator {

    private static final String INSUFFICIENT_PRIVILEGE = "42501";

    /** A probe is to be quick: beyond that many the backlog is estimated. */
    private static final int COUNTED = 1_000;

    private final DataSource dataSource;
    private final Schema schema;
    private final Gauges gauges;
    private final boolean delivers;
    private final Supplier<@Nullable Relay> relay;

    /**
     * @param delivers whether a relay is this instance's business
     * @param relay the one that runs, if one does
     */
    PosthornHealth(DataSource dataSource, SchemaName schema, boolean delivers, Supplier<@Nullable Relay> relay) {
        super("Posthorn's health could not be told");
        this.dataSource = dataSource;
        this.schema = new Schema(schema);
        this.gauges = new Gauges(dataSource, schema, COUNTED);
        this.delivers = delivers;
        this.relay = relay;
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
        health.up();
        lookAtRelay(health);
        try {
            schema.verify(dataSource);
            health.withDetail("subscriptions", subscriptions());
        } catch (PosthornException e) {
            (mayNotLook(e) ? health : health.down()).withDetail("schema", String.valueOf(e.getMessage()));
        }
    }

    private Map<String, Object> subscriptions() {
        Map<String, Object> all = new LinkedHashMap<>();
        gauges.all().forEach(each -> all.put(each.subscription(), details(each)));
        return all;
    }

    /** One who may only record cannot look, and records all the same: the schema is there and answers. */
    private static boolean mayNotLook(PosthornException refusal) {
        return refusal.getCause() instanceof SQLException sql && INSUFFICIENT_PRIVILEGE.equals(sql.getSQLState());
    }

    private void lookAtRelay(Health.Builder health) {
        if (!delivers) {
            health.withDetail("relay", "none in this instance");
            return;
        }
        Relay present = relay.get();
        if (present != null && present.isRunning()) {
            health.withDetail("relay", "running")
                    .withDetail("lanes", present.lanes().size());
        } else {
            health.down().withDetail("relay", "stopped");
        }
    }

    private static Map<String, Object> details(SubscriptionGauges gauges) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("pending", gauges.pending().value());
        Duration oldest = gauges.oldestAge();
        if (oldest != null) {
            details.put("oldestAge", oldest.toString());
        }
        details.put("deadLetters", gauges.deadLetters());
        SubscriptionGauges.Trouble breaker = gauges.breaker();
        if (breaker != null) {
            details.put("breaker", "open since " + breaker.since() + ": " + breaker.reason());
        }
        SubscriptionGauges.Trouble denial = gauges.denial();
        if (denial != null) {
            details.put("denial", "refuses everything since " + denial.since() + ": " + denial.reason());
        }
        if (gauges.paused()) {
            details.put("paused", true);
        }
        return details;
    }
}
