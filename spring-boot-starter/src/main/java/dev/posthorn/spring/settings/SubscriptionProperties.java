package dev.posthorn.spring.settings;

import dev.posthorn.subscription.AfterDeadLetter;
import dev.posthorn.subscription.KeepAttempts;
import dev.posthorn.subscription.Ordering;
import dev.posthorn.subscription.RetryPolicy;
import dev.posthorn.subscription.WhenUnavailable;
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
 * @param breakerAfter after how many keys in a row that fail at their first attempt the receiver is taken to refuse everything
 * @param blockedKeysLimit how many keys of a lane behind a failed event are kept in memory; others are looked up
 * @param keepAttempts of which attempts a record is kept
 */
public record SubscriptionProperties(
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
        @Nullable Integer breakerAfter,
        @Nullable Integer blockedKeysLimit,
        @Nullable KeepAttempts keepAttempts) {

    /** Where a new subscription begins. */
    public enum Start {
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
    public record Retry(
            @Nullable Integer maxAttempts,
            @DefaultValue List<Duration> delays,
            @Nullable Double jitter) {

        public RetryPolicy policy() {
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
    public record Kafka(
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
     * @param apiKey shows a key in a header of the receiver's choice
     * @param oauth2 shows a token from a token endpoint, by OAuth2 client credentials
     * @param jwt shows a token that the application signs itself
     * @param headers headers of every request
     * @param allowPrivateAddresses whether the receiver may be on this machine or in a private network
     * @param concurrency how many requests are under way at a time; 64 if left out
     * @param retryOn statuses from 300 to 499 after which an event is tried again instead of being rejected
     */
    public record Http(
            @Nullable String url,
            @Nullable String form,
            @DefaultValue List<String> secrets,
            @Nullable String bearerToken,
            @Nullable String user,
            @Nullable String password,
            @Nullable ApiKey apiKey,
            @Nullable OAuth2 oauth2,
            @Nullable Jwt jwt,
            @DefaultValue Map<String, String> headers,
            @DefaultValue("false") boolean allowPrivateAddresses,
            @Nullable Integer concurrency,
            @DefaultValue List<Integer> retryOn) {}

    /**
     * A key in a header of the receiver's choice.
     *
     * @param header name of the header
     * @param value the key
     */
    public record ApiKey(@Nullable String header, @Nullable String value) {}

    /**
     * A token from a token endpoint, by OAuth2 client credentials.
     *
     * @param tokenUrl where tokens are fetched
     * @param clientId the client's id
     * @param clientSecret the client's secret
     * @param scope what the token is to be good for: one scope, or several
     * @param audience for whom the token is, if the endpoint wants to know
     * @param parameters more fields of the form
     * @param secretInForm whether id and secret go into the form instead of basic authentication
     */
    public record OAuth2(
            @Nullable String tokenUrl,
            @Nullable String clientId,
            @Nullable String clientSecret,
            @DefaultValue List<String> scope,
            @Nullable String audience,
            @DefaultValue Map<String, String> parameters,
            @DefaultValue("false") boolean secretInForm) {}

    /**
     * A token that the application signs itself.
     *
     * @param algorithm how it is signed
     * @param secret for HS256, a text of at least 32 bytes that the receiver knows too
     * @param key for RS256 and ES256, the private key, PEM
     * @param keyId by which the receiver finds the key to verify with
     * @param issuer who issues it
     * @param subject about whom it is
     * @param audience for whom it is: one name, or several
     * @param lifetime from 10s to 24h; 5m if left out
     * @param claims more claims: texts, numbers, true or false
     */
    public record Jwt(
            @Nullable Algorithm algorithm,
            @Nullable String secret,
            @Nullable String key,
            @Nullable String keyId,
            @Nullable String issuer,
            @Nullable String subject,
            @DefaultValue List<String> audience,
            @Nullable Duration lifetime,
            @DefaultValue Map<String, Object> claims) {}

    /** How a token is signed. */
    public enum Algorithm {
        HS256,
        RS256,
        ES256
    }
}
