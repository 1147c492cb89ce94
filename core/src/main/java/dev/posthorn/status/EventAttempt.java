package dev.posthorn.status;

import dev.posthorn.sink.Reply;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One try to deliver an event to one subscription.
 *
 * @param number counted from 1; the same number again means that the attempt before was not counted
 * @param outcome DELIVERED, RETRY, REJECT or UNAVAILABLE
 * @param reply what the receiver said, if it said anything
 * @param instance the relay that tried
 */
public record EventAttempt(
        String subscription,
        int number,
        Instant startedAt,
        Duration took,
        String outcome,
        @Nullable String errorClass,
        @Nullable String message,
        @Nullable Reply reply,
        String instance) {}
