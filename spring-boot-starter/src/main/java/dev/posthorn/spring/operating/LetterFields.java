package dev.posthorn.spring.operating;

import dev.posthorn.deadletter.DeadLetterQuery;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.PropertyMapper;

/** By which dead letters are found, under the names that the library has for them; what is null does not matter. */
record LetterFields(
        @Nullable UUID eventId,
        @Nullable String subscription,
        @Nullable String errorMessage,
        @Nullable String errorClass,
        @Nullable String cause,
        @Nullable String type,
        @Nullable String source,
        @Nullable String key,
        @Nullable Instant from,
        @Nullable Instant to,
        @Nullable Integer attemptsAtLeast,
        @Nullable Boolean replayed) {

    boolean isEmpty() {
        return subscription == null && isOnlySubscription();
    }

    /** Whether nothing else is given. */
    boolean isOnlySubscription() {
        return Stream.of(
                        eventId,
                        errorMessage,
                        errorClass,
                        cause,
                        type,
                        source,
                        key,
                        from,
                        to,
                        attemptsAtLeast,
                        replayed)
                .allMatch(Objects::isNull);
    }

    DeadLetterQuery.Builder query() {
        DeadLetterQuery.Builder query = DeadLetterQuery.builder();
        PropertyMapper given = PropertyMapper.get();
        given.from(eventId).to(query::eventId);
        given.from(subscription).to(query::subscription);
        given.from(errorMessage).to(query::errorMessage);
        given.from(errorClass).to(query::errorClass);
        given.from(cause).to(query::cause);
        given.from(type).to(query::type);
        given.from(source).to(query::source);
        given.from(key).to(query::key);
        given.from(from).to(query::from);
        given.from(to).to(query::to);
        given.from(attemptsAtLeast).to(query::attemptsAtLeast);
        given.from(replayed).to(query::replayed);
        return query;
    }
}
