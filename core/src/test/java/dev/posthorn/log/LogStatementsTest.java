package dev.posthorn.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** A process may have tens of thousands of lanes, each with another filter, and their statements are the same few. */
class LogStatementsTest {

    private final Session session = new Session(new PGSimpleDataSource(), SchemaName.DEFAULT);

    @Test
    void lanesThatDifferInValuesShareTheirStatements() {
        LogStatements one = session.reads(scope(Filter.types("a"), 4, 0));
        assertThat(IntStream.range(0, 100)
                        .mapToObj(i -> session.bound().reads(scope(Filter.types("type " + i, "*." + i), 2 + i, i))))
                .containsOnly(one);
    }

    @Test
    void lanesThatWantInOtherWaysHaveOthers() {
        LogStatements one = session.reads(scope(Filter.types("a"), 4, 0));
        assertThat(session.reads(scope(Filter.types("a"), 1, 0))).isNotSameAs(one);
        assertThat(session.reads(scope(Filter.ALL, 4, 0))).isNotSameAs(one);
        assertThat(session.reads(scope(Filter.types("a").header("b", "c"), 4, 0)))
                .isNotSameAs(one);
        assertThat(session.reads(new LaneScope(Filter.types("a"), 4, 0, 0, Instant.EPOCH, null)))
                .isNotSameAs(one);
    }

    @Test
    void aTextIsParsedOnceForAllOnAConnection() {
        assertThat(session.bound().sql("SELECT :a")).isSameAs(session.bound().sql("SELECT " + ":a"));
    }

    private static LaneScope scope(Filter filter, int lanes, int index) {
        return new LaneScope(filter, lanes, index, 0, null, null);
    }
}
