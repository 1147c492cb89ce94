package dev.posthorn.spring.outbox;

import static dev.posthorn.spring.shop.Shop.event;
import static dev.posthorn.spring.shop.Shop.outbox;
import static dev.posthorn.spring.shop.Shop.transaction;
import static dev.posthorn.spring.shop.Shop.types;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.posthorn.spring.NoTransactionException;
import dev.posthorn.spring.shop.Shop;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A template of every propagation in every phase of a transaction's end: its change and its event are there, or neither. */
class PhaseMatrixTest {

    enum Phase {
        BEFORE_COMMIT,
        BEFORE_COMPLETION,
        AFTER_COMMIT,
        AFTER_COMPLETION
    }

    private final String key = UUID.randomUUID().toString();

    /** What came of the work in the phase: nothing, or what it threw; empty if there was no such phase. */
    private final List<@Nullable Throwable> heard = new ArrayList<>();

    private void at(Phase phase, Runnable work) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                run(Phase.BEFORE_COMMIT);
            }

            @Override
            public void beforeCompletion() {
                run(Phase.BEFORE_COMPLETION);
            }

            @Override
            public void afterCommit() {
                run(Phase.AFTER_COMMIT);
            }

            @Override
            public void afterCompletion(int status) {
                run(Phase.AFTER_COMPLETION);
            }

            private void run(Phase now) {
                if (phase == now) {
                    heard.add(catchThrowable(work::run));
                }
            }
        });
    }

    private void changeAndRecord(Propagation propagation) {
        transaction(propagation.value()).executeWithoutResult(inner -> {
            Shop.jdbc().update("INSERT INTO purchase (id, total) VALUES (?, 1)", key);
            outbox().record(event("it", key));
        });
    }

    private Long rows() {
        return Shop.jdbc().queryForObject("SELECT count(*) FROM purchase WHERE id = ?", Long.class, key);
    }

    static Stream<Arguments> everyCell() {
        return Arrays.stream(Phase.values())
                .flatMap(phase -> Arrays.stream(Propagation.values())
                        .flatMap(propagation ->
                                Stream.of(true, false).map(commits -> Arguments.of(phase, propagation, commits))));
    }

    @ParameterizedTest
    @MethodSource("everyCell")
    void theChangeAndTheEventAreThereOrTheEventIsRefused(Phase phase, Propagation propagation, boolean commits) {
        Throwable end = catchThrowable(() -> transaction().executeWithoutResult(status -> {
            at(phase, () -> changeAndRecord(propagation));
            if (!commits) {
                status.setRollbackOnly();
            }
        }));

        boolean accepted = heard.size() == 1 && heard.get(0) == null;
        assertThat(types(key)).as("ended with %s", end).hasSize(accepted ? rows().intValue() : 0);
    }

    /** It was told to join a transaction, which would have been this one. */
    @Test
    void whoRecordsWhenTheTransactionHasEndedIsToldSo() {
        transaction()
                .executeWithoutResult(status -> at(Phase.AFTER_COMPLETION, () -> outbox().record(event("never", key))));

        assertThat(heard).singleElement().satisfies(PhaseMatrixTest::saysThatItHasEnded);
    }

    private static void saysThatItHasEnded(@Nullable Throwable refusal) {
        assertThat(refusal)
                .isInstanceOf(NoTransactionException.class)
                .hasMessageContaining("after its transaction had ended")
                .hasMessageContaining("REQUIRES_NEW");
    }

    /** It was told that its transaction manager is no bean. */
    @ParameterizedTest
    @EnumSource(
            value = Propagation.class,
            names = {"REQUIRED", "SUPPORTS", "MANDATORY"})
    void whoJoinsATransactionThatHasEndedIsToldSo(Propagation propagation) {
        for (boolean commits : new boolean[] {true, false}) {
            transaction().executeWithoutResult(status -> {
                at(Phase.AFTER_COMPLETION, () -> {
                    transaction(Propagation.REQUIRES_NEW.value()).executeWithoutResult(between -> {});
                    transaction(propagation.value())
                            .executeWithoutResult(joining -> outbox().record(event("never", key)));
                });
                if (!commits) {
                    status.setRollbackOnly();
                }
            });
        }

        assertThat(heard).hasSize(2).allSatisfy(PhaseMatrixTest::saysThatItHasEnded);
        assertThat(types(key)).isEmpty();
    }
}
