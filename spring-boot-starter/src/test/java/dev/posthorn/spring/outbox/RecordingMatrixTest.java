package dev.posthorn.spring.outbox;

import static dev.posthorn.spring.shop.Shop.event;
import static dev.posthorn.spring.shop.Shop.outbox;
import static dev.posthorn.spring.shop.Shop.types;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.posthorn.spring.NoTransactionException;
import dev.posthorn.spring.shop.Parcel;
import dev.posthorn.spring.shop.Parcels;
import dev.posthorn.spring.shop.Purchase;
import dev.posthorn.spring.shop.Purchases;
import dev.posthorn.spring.shop.Shop;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * However data is changed, in whatever transaction and at whatever moment of it: an event is in the log exactly when its own
 * transaction was committed, in the order of recording, or it is refused with the remedy.
 */
class RecordingMatrixTest {

    enum Technology {
        JDBC(NestedTest.Kind.JDBC) {
            @Override
            void change(String id) {
                Shop.jdbc().update("INSERT INTO purchase (id, total) VALUES (?, 1)", id);
            }
        },
        JPA(NestedTest.Kind.JPA) {
            @Override
            void change(String id) {
                Shop.bean(Purchases.class).saveAndFlush(new Purchase(id));
            }
        },
        JOOQ(NestedTest.Kind.JDBC) {
            @Override
            void change(String id) {
                Shop.bean(DSLContext.class)
                        .insertInto(DSL.table("purchase"))
                        .columns(DSL.field("id"), DSL.field("total"))
                        .values(id, 1)
                        .execute();
            }
        };

        private final NestedTest.Kind kind;

        Technology(NestedTest.Kind kind) {
            this.kind = kind;
        }

        abstract void change(String id);
    }

    /** The block in which it happens, inside a transaction that records before and after it. */
    enum Block {
        REQUIRED(TransactionDefinition.PROPAGATION_REQUIRED),
        REQUIRES_NEW(TransactionDefinition.PROPAGATION_REQUIRES_NEW),
        NESTED_COMMITTED(TransactionDefinition.PROPAGATION_NESTED),
        NESTED_ROLLED_BACK(TransactionDefinition.PROPAGATION_NESTED),
        MANDATORY(TransactionDefinition.PROPAGATION_MANDATORY),
        NOT_SUPPORTED(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);

        private final int propagation;

        Block(int propagation) {
            this.propagation = propagation;
        }
    }

    enum Moment {
        BEFORE,
        MIDDLE,
        BEFORE_COMMIT,
        AFTER_COMMIT,
        ENTITY_CALLBACK,
        ASYNCHRONOUS
    }

    private final String key = UUID.randomUUID().toString();
    private final List<Throwable> refusals = new ArrayList<>();

    static Stream<Arguments> everyCell() {
        return Arrays.stream(Technology.values())
                .flatMap(technology -> Arrays.stream(Block.values())
                        .flatMap(block -> Arrays.stream(Moment.values())
                                .filter(moment -> moment != Moment.ENTITY_CALLBACK || technology == Technology.JPA)
                                .map(moment -> Arguments.of(technology, block, moment))));
    }

    @ParameterizedTest
    @MethodSource("everyCell")
    void isInTheLogWithItsTransactionOrRefused(Technology technology, Block block, Moment moment) {
        Parcel.told(Parcel.Moment.POST_PERSIST, this::recordIt, () -> run(technology, block, moment));

        assertThat(types(key)).containsExactlyElementsOf(expected(block, moment));
        assertThat(Shop.bean(Purchases.class).existsById(key)).isEqualTo(block != Block.NESTED_ROLLED_BACK);
        if (isRefused(block, moment)) {
            assertThat(refusals)
                    .singleElement()
                    .satisfies(refusal -> assertThat(refusal)
                            .isInstanceOfSatisfying(
                                    NoTransactionException.class,
                                    e -> assertThat(e.remedy()).isNotEmpty()));
        } else {
            assertThat(refusals).isEmpty();
        }
    }

    private static List<String> expected(Block block, Moment moment) {
        if (moment == Moment.BEFORE) {
            return List.of("first", "it", "last");
        }
        if (isRefused(block, moment) || (block == Block.NESTED_ROLLED_BACK && moment == Moment.MIDDLE)) {
            return List.of("first", "last");
        }
        if (block == Block.REQUIRES_NEW || block == Block.NOT_SUPPORTED) {
            return List.of("it", "first", "last");
        }
        return moment == Moment.MIDDLE ? List.of("first", "it", "last") : List.of("first", "last", "it");
    }

    /** Without a transaction Spring Data's own one, which a repository begins for a single call, is that of a callback. */
    private static boolean isRefused(Block block, Moment moment) {
        return switch (moment) {
            case AFTER_COMMIT, ASYNCHRONOUS -> true;
            case MIDDLE, BEFORE_COMMIT -> block == Block.NOT_SUPPORTED;
            default -> false;
        };
    }

    private void run(Technology technology, Block block, Moment moment) {
        technology.kind.outer(outer -> {
            outbox().record(event("first", key));
            if (moment == Moment.BEFORE) {
                recordIt();
            }
            technology.kind.transaction(block.propagation).executeWithoutResult(inner -> {
                technology.change(key);
                bringAbout(moment);
                if (block == Block.NESTED_ROLLED_BACK) {
                    inner.setRollbackOnly();
                }
            });
            outbox().record(event("last", key));
        });
    }

    private void bringAbout(Moment moment) {
        switch (moment) {
            case BEFORE -> {}
            case MIDDLE -> recordIt();
            case ENTITY_CALLBACK -> Shop.bean(Parcels.class).save(new Parcel(key));
            case ASYNCHRONOUS -> CompletableFuture.runAsync(this::recordIt).join();
            default ->
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void beforeCommit(boolean readOnly) {
                        recordIf(moment == Moment.BEFORE_COMMIT);
                    }

                    @Override
                    public void afterCommit() {
                        recordIf(moment == Moment.AFTER_COMMIT);
                    }
                });
        }
    }

    private void recordIf(boolean now) {
        if (now) {
            recordIt();
        }
    }

    private void recordIt() {
        Throwable refusal = catchThrowable(() -> outbox().record(event("it", key)));
        if (refusal != null) {
            refusals.add(refusal);
        }
    }
}
