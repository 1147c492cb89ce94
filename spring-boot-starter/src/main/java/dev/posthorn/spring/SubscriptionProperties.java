package dev.posthorn.spring;

import dev.posthorn.relay.AfterDeadLetter;
import dev.posthorn.relay.KeepAttempts;
import dev.posthorn.relay.Ordering;
import dev.posthorn.relay.RetryPolicy;
import dev.posthorn.relay.WhenUnavailable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Who gets which events, and how. What is left out is as the library has it.
 *
 * @param types types of the events it wants, with * for any characters; left out, all
 * @param aggregateTypes aggregate types that it wants, likewise
 * @param sources sources that it wants, likewise
 * @param headers headers that an event must carry, exactly so
 * @param start where it begins when it is new: with what is recorded from then on, or with all that is there
 * @param kafka delivers to Kafka
 * @param http delivers to an HTTP receiver
 * @param sink delivers to the Sink bean of this name
 * @param retry when a failed event is sent again
 * @param timeout how long a receiver may take to answer
 * @param ratePerSecond how many events a second are sent at most, by all instances together
 * @param ordering whether the events of a key are delivered one after the other
 * @param lanes into how many shares its keys are divided: the most instances that can work for it
 * @param afterDeadLetter whether later events of a key wait for its dead letter
 * @param whenUnavailable whether a receiver that cannot be reached uses up attempts
 * @param batchSize how many events one read takes at most
 * @param inFlightLimit how many events may be sent and not settled
 * @param leaseTtl how long a lane stays with an instance that is not heard of
 * @param breakerAfter after how many keys in a row that fail at their first attempt the receiver is taken to refuse everything
 * @param blockedKeysLimit how many keys of a lane behind a failed event are kept in memory; others are looked up
 * @param keepAttempts of which attempts a record is kept
 */
record SubscriptionProperties(
        @DefaultValue List<String> types,
        @DefaultValue List<String> aggregateTypes,
        @DefaultValue List<String> sources,
        @DefaultValue Map<String, String> headers,
        @DefaultValue("now") Start start,
        @Nullable Kafka kafka,
        @Nullable Http http,
        @Nullable String sink,
        @DefaultValue Retry retry,
        @Nullable Duration timeout,
        @Nullable Double ratePerSecond,
        @Nullable Ordering ordering,
        @Nullable Integer lanes,
        @Nullable AfterDeadLetter afterDeadLetter,
        @Nullable WhenUnavailable whenUnavailable,
        @Nullable Integer batchSize,
        @Nullable Integer inFlightLimit,
        @Nullable Duration leaseTtl,
        @Nullable Integer breakerAfter,
        @Nullable Integer blockedKeysLimit,
        @Nullable KeepAttempts keepAttempts) {

    /** Where a new subscription begins. */
    enum Start {
        NOW,
        BEGINNING
    }

    /**
     * When a failed event is sent again.
     *
     * @param maxAttempts after so many failed attempts the event is a dead letter; 5 if left out
     * @param delays the wait before the second attempt, before the third and so on, the last one repeated; 30s, 1m, 2m, 5m
     *     if left out
     * @param jitter by which part of itself a delay may be shorter or longer; 0.1 if left out
     */
    record Retry(
            @Nullable Integer maxAttempts,
            @DefaultValue List<Duration> delays,
            @Nullable Double jitter) {

        RetryPolicy policy() {
            RetryPolicy otherwise = RetryPolicy.DEFAULT;
            return new RetryPolicy(
                    delays.isEmpty() ? otherwise.delays() : delays,
                    maxAttempts == null ? otherwise.maxAttempts() : maxAttempts,
                    jitter == null ? otherwise.jitter() : jitter,
                    otherwise.longestWish());
        }
    }

    /**
     * Delivers to Kafka; needs posthorn-kafka.
     *
     * @param bootstrapServers addresses of the cluster; left out, posthorn.kafka.bootstrap-servers
     * @param topic the topic, with the placeholders {aggregateType}, {type} and {source}; left out, {aggregateType}.events
     * @param topics other topics for the events of single types, by type
     * @param properties settings of Kafka's producer, in addition to posthorn.kafka.properties
     */
    record Kafka(
            @Nullable String bootstrapServers,
            @Nullable String topic,
            @DefaultValue Map<String, String> topics,
            @DefaultValue Map<String, String> properties) {}

    /**
     * Delivers to an HTTP receiver; needs posthorn-http.
     *
     * @param url where events are posted
     * @param form binary or structured CloudEvents, or the payload alone (plain); binary if left out
     * @param secrets secrets (whsec_…) that requests are signed with: one, or during a rotation the new one and the old one
     * @param bearerToken a token that is sent with every request
     * @param user user of basic authentication
     * @param password password of basic authentication
     * @param headers headers of every request
     * @param allowPrivateAddresses whether the receiver may be on this machine or in a private network
     * @param concurrency how many requests are under way at a time; 64 if left out
     * @param retryOn statuses from 300 to 499 after which an event is tried again instead of being rejected
     */
    record Http(
            @Nullable String url,
            @Nullable String form,
            @DefaultValue List<String> secrets,
            @Nullable String bearerToken,
            @Nullable String user,
            @Nullable String password,
            @DefaultValue Map<String, String> headers,
            @DefaultValue("false") boolean allowPrivateAddresses,
            @Nullable Integer concurrency,
            @DefaultValue List<Integer> retryOn) {}
}
