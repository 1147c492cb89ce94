package dev.posthorn.kafka;

import dev.posthorn.sink.ErrorClass;
import dev.posthorn.sink.Outcome;
import java.security.GeneralSecurityException;
import java.util.List;
import javax.net.ssl.SSLException;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.BrokerNotAvailableException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.LeaderNotAvailableException;
import org.apache.kafka.common.errors.NetworkException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.ThrottlingQuotaExceededException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * What Kafka's answer means for an event. Only what lies in the event itself rejects it; everything else is the
 * cluster's affair and passes when somebody has seen to it, so the event waits.
 */
final class FailureClassifier {

    private record Kind(Class<? extends Throwable> error, ErrorClass errorClass) {}

    /** The first that fits counts: an error stands before the more general one that it extends. */
    private static final List<Kind> KINDS = List.of(
            new Kind(RecordTooLargeException.class, ErrorClass.TOO_LARGE),
            new Kind(SerializationException.class, ErrorClass.SERIALIZATION),
            new Kind(InvalidTopicException.class, ErrorClass.INVALID),
            new Kind(InvalidRecordException.class, ErrorClass.INVALID),
            new Kind(InvalidTimestampException.class, ErrorClass.INVALID),
            new Kind(SslAuthenticationException.class, ErrorClass.TLS),
            new Kind(SSLException.class, ErrorClass.TLS),
            new Kind(GeneralSecurityException.class, ErrorClass.TLS),
            new Kind(AuthorizationException.class, ErrorClass.AUTH),
            new Kind(AuthenticationException.class, ErrorClass.AUTH),
            new Kind(BufferExhaustedException.class, ErrorClass.THROTTLED),
            new Kind(ThrottlingQuotaExceededException.class, ErrorClass.THROTTLED),
            new Kind(UnknownTopicOrPartitionException.class, ErrorClass.REFUSED),
            new Kind(LeaderNotAvailableException.class, ErrorClass.REFUSED),
            new Kind(BrokerNotAvailableException.class, ErrorClass.REFUSED),
            new Kind(NetworkException.class, ErrorClass.REFUSED),
            new Kind(DisconnectException.class, ErrorClass.REFUSED),
            new Kind(UnknownServerException.class, ErrorClass.SERVER_ERROR));

    private FailureClassifier() {}

    static Outcome.Failure classify(Exception error, String topic) {
        ErrorClass errorClass = errorClass(error);
        return isTheEvents(error)
                ? new Outcome.Reject(errorClass, message(error) + ruleFor(error, topic))
                : new Outcome.Unavailable(errorClass, reason(error, topic));
    }

    static boolean isTheEvents(Exception error) {
        return error instanceof RecordTooLargeException
                || error instanceof InvalidTopicException
                || error instanceof InvalidRecordException
                || error instanceof InvalidTimestampException
                || error instanceof SerializationException;
    }

    /** What Kafka wraps says more than the wrapping; that something took too long says the least. */
    private static ErrorClass errorClass(Throwable error) {
        ErrorClass otherwise = ErrorClass.UNKNOWN;
        for (Throwable cause = error; cause != null; cause = causeOf(cause)) {
            for (Kind kind : KINDS) {
                if (kind.error().isInstance(cause)) {
                    return kind.errorClass();
                }
            }
            if (otherwise == ErrorClass.UNKNOWN) {
                otherwise = byMessage(cause);
            }
        }
        return otherwise;
    }

    /** Kafka has no exceptions of their own for a name that nobody knows, a keystore, and not one broker that answers. */
    private static ErrorClass byMessage(Throwable error) {
        String message = String.valueOf(error.getMessage());
        if (error instanceof ConfigException && message.contains("No resolvable bootstrap")) {
            return ErrorClass.DNS;
        }
        if (error instanceof KafkaException && message.contains("Failed to load SSL")) {
            return ErrorClass.TLS;
        }
        if (error instanceof TimeoutException) {
            return message.contains("not present in metadata") ? ErrorClass.REFUSED : ErrorClass.TIMEOUT;
        }
        return ErrorClass.UNKNOWN;
    }

    private static @Nullable Throwable causeOf(Throwable error) {
        return error.getCause() == error ? null : error.getCause();
    }

    private static String ruleFor(Exception error, String topic) {
        if (error instanceof RecordTooLargeException) {
            return " (topic '" + topic + "'; the limits are the sink's setting max.request.size and the topic's"
                    + " max.message.bytes)";
        }
        return " (topic '" + topic + "')";
    }

    private static String reason(Exception error, String topic) {
        if (error instanceof TopicAuthorizationException) {
            return "not authorized to write to topic '" + topic + "': grant WRITE on it to the sink's user";
        }
        if (error instanceof ClusterAuthorizationException) {
            return "not authorized at the cluster: grant IDEMPOTENT_WRITE or WRITE on the topic to the sink's user ("
                    + message(error) + ")";
        }
        if (error instanceof AuthenticationException) {
            return "Kafka refused the login; check the settings security.*, sasl.* and ssl.* (" + message(error) + ")";
        }
        if (error instanceof BufferExhaustedException) {
            return "the cluster takes records too slowly, buffer.memory is full (" + message(error) + ")";
        }
        if (error instanceof UnknownTopicOrPartitionException || error instanceof TimeoutException) {
            return "topic '" + topic
                    + "' cannot be found: create it if it is missing, or see whether the brokers answer ("
                    + message(error) + ")";
        }
        return message(error);
    }

    /** Kafka often wraps what it has to say. */
    static String message(Throwable error) {
        String text = error.getMessage() == null ? error.getClass().getSimpleName() : error.getMessage();
        Throwable cause = error.getCause();
        return cause == null || cause == error || text.contains(String.valueOf(cause.getMessage()))
                ? text
                : text + ": " + message(cause);
    }
}
