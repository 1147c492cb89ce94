package dev.posthorn.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.sql.BatchUpdateException;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutageTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "08000", "08001", "08003", "08006", "08P01", "25006", "28000", "28P01", "3D000", "40001", "40003",
                "40P01", "53000", "53100", "53200", "53300", "57P01", "57P02", "57P03", "57P04", "57P05", "58000",
                "58030"
            })
    void aDatabaseThatIsAwaySaysNothingAboutTheStatement(String state) {
        assertThat(Outage.isOne(sql(state))).isTrue();
        assertThat(Outage.isOneOrCancelled(sql(state))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "21000", "22001", "22003", "22021", "22P02", "23502", "23503", "23505", "23514", "25P02", "40002",
                "42501", "42601", "42703", "42P01", "54000", "P0001", "XX000", "", "0"
            })
    void dataAndStatementsAreAtFaultThemselves(String state) {
        assertThat(Outage.isOne(sql(state))).isFalse();
        assertThat(Outage.isOneOrCancelled(sql(state))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"57014", "55P03"})
    void aCancelledStatementIsNoOutageUnlessItIsOneOfOurs(String state) {
        assertThat(Outage.isOne(sql(state))).isFalse();
        assertThat(Outage.isOneOrCancelled(sql(state))).isTrue();
        assertThat(Outage.isOneOrCancelled(new SQLTimeoutException("too long"))).isTrue();
    }

    @Test
    void poolsThatHaveNoConnectionNeedNoState() {
        assertThat(Outage.isOne(new SQLTransientConnectionException("pool is empty")))
                .isTrue();
        assertThat(Outage.isOne(new SQLNonTransientConnectionException("gone"))).isTrue();
        assertThat(Outage.isOne(new SQLRecoverableException("gone"))).isTrue();
        assertThat(Outage.isOne(new SQLException("gone", new SocketTimeoutException())))
                .isTrue();
    }

    @Test
    void withoutAStateAnythingElseIsTheHandlersOwn() {
        assertThat(Outage.isOne(new SQLException("no such account"))).isFalse();
        assertThat(Outage.isOne(new SQLDataException("no such amount"))).isFalse();
        assertThat(Outage.isOne(new IOException("the other service hung up"))).isFalse();
        assertThat(Outage.isOne(new IllegalStateException())).isFalse();
        assertThat(Outage.isOne(new StackOverflowError())).isFalse();
    }

    @Test
    void withoutAStateAStatementOfOursWasRefusedByThePool() {
        SQLException closed = new SQLException("the pool has been closed");
        assertThat(Outage.isOneOrCancelled(PosthornException.database("settling", closed)))
                .isTrue();
        assertThat(Outage.isOneOrCancelled(new IllegalStateException())).isFalse();
    }

    @Test
    void itIsFoundWhereverItIsWrapped() {
        assertThat(Outage.isOne(new RuntimeException(new RuntimeException(sql("25006")))))
                .isTrue();
        assertThat(Outage.isOne(PosthornException.database("claiming", sql("57P01"))))
                .isTrue();

        BatchUpdateException batch = new BatchUpdateException("Batch entry 0 was aborted", "22000", new int[0]);
        batch.setNextException(sql("08006"));
        assertThat(Outage.isOne(batch)).isTrue();

        IllegalStateException hidden = new IllegalStateException("the handler's own word for it");
        hidden.addSuppressed(sql("08003"));
        assertThat(Outage.isOne(hidden)).isTrue();
    }

    @Test
    void causesThatGoRoundEnd() {
        RuntimeException first = new RuntimeException();
        RuntimeException second = new RuntimeException(first);
        first.initCause(second);
        assertThat(Outage.isOne(first)).isFalse();
    }

    @Test
    void anotherDatabaseThanTheRightOneIsAnOutage() {
        assertThat(Outage.isOne(new PosthornException(ErrorCode.IN_RECOVERY, "a standby")))
                .isTrue();
        assertThat(Outage.isOne(new PosthornException(ErrorCode.CLUSTER_CHANGED, "another")))
                .isTrue();
        assertThat(Outage.isOne(new PosthornException(ErrorCode.DATABASE, "no more is known")))
                .isTrue();
        assertThat(Outage.isOne(new PosthornException(ErrorCode.INVALID_EVENT, "too long")))
                .isFalse();
        assertThat(Outage.isOne(PosthornException.database("writing", sql("54000"))))
                .isFalse();
    }

    private static SQLException sql(String state) {
        return new SQLException("said by the server", state);
    }
}
