package dev.posthorn.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.deadletter.DeadLetterQuery.State;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class DeadLetterQueryTest {

    private static final String HOSTILE = "zq'; DROP TABLE posthorn.event; -- :zq \"zq\" %_\\";
    private static final Instant FROM = Instant.parse("2026-03-04T05:06:07Z");

    /** Every field that there is. */
    private static DeadLetterQuery full(String text) {
        return DeadLetterQuery.builder()
                .id(987_654)
                .ids(List.of(987_655L))
                .eventId(new UUID(0xabcdefL, 1))
                .subscription(text)
                .errorMessage(text)
                .errorClass(text)
                .cause(text)
                .type(text)
                .key(text)
                .source(text)
                .from(FROM)
                .to(FROM.plusSeconds(1))
                .attemptsAtLeast(987_656)
                .replayed(true)
                .state(State.DISCARDED)
                .build();
    }

    @Test
    void theFullQueryHasEveryFieldOfTheBuilder() {
        long fields = java.util.Arrays.stream(DeadLetterQuery.Builder.class.getDeclaredMethods())
                .filter(method -> java.lang.reflect.Modifier.isPublic(method.getModifiers()))
                .filter(method ->
                        !List.of("build", "pageSize", "cursor", "eventIds").contains(method.getName()))
                .count();
        assertThat(full("a").describe()).hasSize((int) fields);
    }

    @Test
    void noStatementHoldsAnythingThatWasGiven() {
        DeadLetterQuery hostile = full(HOSTILE);
        DeadLetterQuery harmless = full("a");
        assertThat(hostile.condition()).isEqualTo(harmless.condition());
        assertThat(Walk.statement(hostile)).isEqualTo(Walk.statement(harmless));
        assertThat(Grouping.statement(hostile)).isEqualTo(Grouping.statement(harmless));
        assertThat(Walk.statement(hostile) + Grouping.statement(hostile))
                .doesNotContain("zq", "98765", "abcdef", "2026", "true = true");
    }

    @Test
    void everyNameInTheConditionHasItsValueAndCannotBeTakenForOneOfTheStatementAround() {
        DeadLetterQuery query = full("a");
        assertThat(Pattern.compile("(?<![:\\w]):([a-z_]+)")
                        .matcher(query.condition())
                        .results()
                        .map(MatchResult::group)
                        .map(name -> name.substring(1))
                        .distinct())
                .containsExactlyInAnyOrderElementsOf(query.values().keySet())
                .allMatch(name -> name.startsWith("letter_"));
    }

    @Test
    void aQueryCanBeToldInWords() {
        assertThat(DeadLetterQuery.OPEN.describe()).isEqualTo(Map.of("state", "OPEN"));
        assertThat(DeadLetterQuery.builder()
                        .subscription("billing")
                        .errorMessage("50% off")
                        .from(FROM)
                        .ids(List.of(3L, 1L, 3L))
                        .replayed(false)
                        .state(State.ANY)
                        .build()
                        .describe())
                .isEqualTo(Map.of(
                        "subscription",
                        "billing",
                        "errorMessage",
                        "50% off",
                        "from",
                        "2026-03-04T05:06:07Z",
                        "ids",
                        "1, 3",
                        "replayed",
                        "false",
                        "state",
                        "ANY"));
    }
}
