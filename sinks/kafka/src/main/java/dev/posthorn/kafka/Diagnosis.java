package dev.posthorn.kafka;

import dev.posthorn.sink.Outcome;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * What Kafka's answer means for an event. Only what lies in the event itself rejects it; everything else is the
 * cluster's affair and passes when somebody has seen to it, so the event waits.
 */
final class Diagnosis {

    private Diagnosis() {}

    static Outcome of(Exception error, String topic) {
        return isTheEvents(error)
                ? new Outcome.Reject(message(error) + ruleFor(error, topic))
                : new Outcome.Unavailable(reason(error, topic));
    }

    static boolean isTheEvents(Exception error) {
        return error instanceof RecordTooLargeException
                || error instanceof InvalidTopicException
                || error instanceof InvalidRecordException
                || error instanceof InvalidTimestampException
                || error instanceof SerializationException;
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
