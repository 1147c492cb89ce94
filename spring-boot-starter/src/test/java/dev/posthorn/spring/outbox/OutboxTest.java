package dev.posthorn.spring.outbox;

import static dev.posthorn.spring.shop.Shop.event;
import static dev.posthorn.spring.shop.Shop.outbox;
import static dev.posthorn.spring.shop.Shop.transaction;
import static dev.posthorn.spring.shop.Shop.types;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import dev.posthorn.spring.NoTransactionException;
import dev.posthorn.spring.shop.Parcel;
import dev.posthorn.spring.shop.Parcels;
import dev.posthorn.spring.shop.Purchase;
import dev.posthorn.spring.shop.Purchases;
import dev.posthorn.spring.shop.Shop;
import dev.posthorn.spring.shop.TestServer;
import jakarta.persistence.EntityManagerFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.hibernate.FlushMode;
import org.hibernate.Session;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.EntityManagerFactoryUtils;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What is recorded belongs to the transaction, in whatever way that one was made. */
class OutboxTest {

    private final String key = UUID.randomUUID().toString();

    @Test
    void eventsOfATransactionAreInTheLogInTheirOrderAfterItsCommit() {
        Event first = event("first", key);
        List<UUID> ids = transaction().execute(status -> {
            List<UUID> given = new ArrayList<>(List.of(outbox().record(first)));
            given.addAll(outbox().record(List.of(event("second", key), event("third", key))));
            assertThat(types(key)).as("before the commit").isEmpty();
            return given;
        });

        assertThat(types(key)).containsExactly("first", "second", "third");
        assertThat(ids).hasSize(3).first().isEqualTo(first.id());
    }

    @Test
    void aRolledBackTransactionRecordsNothing() {
        transaction().executeWithoutResult(status -> {
            outbox().record(event("never", key));
            status.setRollbackOnly();
        });

        assertThat(types(key)).isEmpty();
    }

    @Test
    void withoutATransactionRecordingIsRefusedWithTheRemedy() {
        assertThatThrownBy(() -> outbox().record(event("never", key)))
                .isInstanceOf(NoTransactionException.class)
                .hasMessageContaining("without a transaction")
                .hasMessageContaining("@Transactional");
    }

    /** A query there binds a connection to the thread. */
    @Test
    void whereATransactionIsOnlySupportedRecordingIsRefusedUntilOneIsBegun() {
        transaction(TransactionDefinition.PROPAGATION_SUPPORTS).executeWithoutResult(status -> {
            Shop.jdbc().queryForObject("SELECT 1", Integer.class);
            assertThatThrownBy(() -> outbox().record(event("never", key))).isInstanceOf(NoTransactionException.class);
            transaction().executeWithoutResult(inner -> outbox().record(event("once", key)));
        });

        assertThat(types(key)).containsExactly("once");
    }

    @Test
    void inAReadOnlyTransactionRecordingIsRefused() {
        TransactionTemplate readOnly = transaction();
        readOnly.setReadOnly(true);

        assertThatThrownBy(() -> readOnly.execute(status -> outbox().record(event("never", key))))
                .isInstanceOf(NoTransactionException.class)
                .hasMessageContaining("readOnly");
    }

    @Test
    void inATransactionOfAnotherDataSourceRecordingIsRefused() {
        PGSimpleDataSource other = new PGSimpleDataSource();
        other.setUrl(TestServer.database());
        TransactionTemplate foreign = new TransactionTemplate(new JdbcTransactionManager(other));

        assertThatThrownBy(() -> foreign.execute(status -> outbox().record(event("never", key))))
                .isInstanceOf(NoTransactionException.class)
                .hasMessageContaining("another data source")
                .hasMessageContaining("posthorn.data-source");
    }

    @Test
    void afterTheCommitRecordingIsRefusedAlthoughSpringStillCallsTheTransactionActive() {
        List<Throwable> refusals = new ArrayList<>();
        transaction()
                .executeWithoutResult(status ->
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void afterCommit() {
                                refusals.add(org.assertj.core.api.Assertions.catchThrowable(
                                        () -> outbox().record(event("never", key))));
                                transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                                        .executeWithoutResult(inner -> outbox().record(event("in-a-new-one", key)));
                            }
                        }));

        assertThat(refusals).singleElement().isInstanceOf(NoTransactionException.class);
        assertThat(types(key)).containsExactly("in-a-new-one");
    }

    @Test
    void whatABeforeCommitListenerRecordsIsWrittenEvenIfItsTurnComesLater() {
        transaction().executeWithoutResult(status -> {
            outbox().record(event("first", key));
            beforeCommit(() -> outbox().record(event("second", key)));
        });

        assertThat(types(key)).containsExactly("first", "second");
    }

    /** It was lost: Spring goes through a copy of the synchronizations, so one that is new by then has no turn. */
    @Test
    void whatABeforeCommitListenerIsTheFirstToRecordIsWritten() {
        transaction().executeWithoutResult(status -> beforeCommit(() -> outbox().record(event("first", key))));

        assertThat(types(key)).containsExactly("first");
    }

    @Test
    void whatIsRecordedWhenTheTransactionIsAboutToCompleteIsWrittenToo() {
        transaction()
                .executeWithoutResult(status ->
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void beforeCompletion() {
                                outbox().record(event("first", key));
                            }
                        }));

        assertThat(types(key)).containsExactly("first");
    }

    private static void beforeCommit(Runnable work) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                work.run();
            }
        });
    }

    /** The commit flushed, the callback was refused, and the change was rolled back. */
    @ParameterizedTest
    @EnumSource(Parcel.Moment.class)
    void whatACallbackOfAnEntityIsTheFirstToRecordIsWritten(Parcel.Moment moment) {
        transaction().executeWithoutResult(status -> parcels().save(new Parcel(key)));
        Parcel.told(
                moment,
                () -> outbox().record(event("from-the-callback", key)),
                () -> transaction().executeWithoutResult(status -> moment.bringAbout(parcels(), key)));

        assertThat(types(key)).containsExactly("from-the-callback");
    }

    /** Each flush may bring about another callback that records. */
    @Test
    void whatCallbacksRecordAfterTheTransactionItselfIsWrittenToo() {
        transaction().executeWithoutResult(status -> parcels().save(new Parcel(key)));
        Parcel.told(
                Parcel.Moment.PRE_UPDATE,
                () -> {
                    outbox().record(event("second", key));
                    parcels().save(new Parcel(key + "-2"));
                },
                () -> transaction().executeWithoutResult(status -> {
                    outbox().record(event("first", key));
                    Parcel.Moment.PRE_UPDATE.bringAbout(parcels(), key);
                }));

        assertThat(types(key)).containsExactly("first", "second");
        assertThat(parcels().existsById(key + "-2")).isTrue();
    }

    private static Parcels parcels() {
        return Shop.bean(Parcels.class);
    }

    @Test
    void anInnerTransactionOfItsOwnKeepsItsEventsApart() {
        transaction().executeWithoutResult(outer -> {
            outbox().record(event("outer", key));
            transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                    .executeWithoutResult(inner -> outbox().record(event("inner", key)));
            assertThat(types(key)).containsExactly("inner");
            outer.setRollbackOnly();
        });

        assertThat(types(key)).containsExactly("inner");
    }

    @Test
    void whatIsRolledBackToASavepointIsNotRecorded() {
        TransactionTemplate jdbc = new TransactionTemplate(
                WatchedManagers.watched(new JdbcTransactionManager(Shop.bean(javax.sql.DataSource.class))));
        TransactionTemplate nested = new TransactionTemplate(jdbc.getTransactionManager());
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        jdbc.executeWithoutResult(outer -> {
            nested.executeWithoutResult(inner -> {
                outbox().record(event("dropped-first", key));
                inner.setRollbackOnly();
            });
            outbox().record(event("kept", key));
            nested.executeWithoutResult(inner -> {
                outbox().record(event("dropped", key));
                inner.setRollbackOnly();
            });
            nested.executeWithoutResult(inner -> outbox().record(event("kept-too", key)));
        });

        assertThat(types(key)).containsExactly("kept", "kept-too");
    }

    @Test
    void anEventIsCheckedWhenItIsRecordedAndNotOnlyWhenItIsWritten() {
        Event large = Event.builder()
                .source("test")
                .type("large")
                .payload(new byte[2000])
                .build();

        transaction()
                .executeWithoutResult(status -> assertThatThrownBy(() -> outbox().record(large))
                        .isInstanceOf(PosthornException.class)
                        .hasMessageContaining("payload has 2000 bytes"));
    }

    @Test
    void jooqAndTheOutboxShareTheTransaction() {
        DSLContext jooq = Shop.bean(DSLContext.class);
        transaction().executeWithoutResult(status -> {
            insert(jooq, key);
            outbox().record(event("kept", key));
        });
        transaction().executeWithoutResult(status -> {
            insert(jooq, key + "-2");
            outbox().record(event("dropped", key));
            status.setRollbackOnly();
        });

        assertThat(types(key)).containsExactly("kept");
        assertThat(Shop.bean(Purchases.class).existsById(key)).isTrue();
        assertThat(Shop.bean(Purchases.class).existsById(key + "-2")).isFalse();
    }

    private static void insert(DSLContext jooq, String id) {
        jooq.insertInto(DSL.table("purchase"))
                .columns(DSL.field("id"), DSL.field("total"))
                .values(id, 1)
                .execute();
    }

    @Test
    void jpaAndTheOutboxShareTheTransaction() {
        transaction().executeWithoutResult(status -> {
            Shop.bean(Purchases.class).save(new Purchase(key));
            outbox().record(event("kept", key));
        });

        assertThat(types(key)).containsExactly("kept");
        assertThat(Shop.bean(Purchases.class).existsById(key)).isTrue();
    }

    /** Recording flushed it, and what nobody wanted to be kept was. */
    @Test
    void whatTheApplicationFlushesByHandIsLeftToItsHand() {
        transaction().executeWithoutResult(status -> parcels().save(new Parcel(key)));
        transaction().executeWithoutResult(status -> {
            EntityManagerFactoryUtils.getTransactionalEntityManager(Shop.bean(EntityManagerFactory.class))
                    .unwrap(Session.class)
                    .setHibernateFlushMode(FlushMode.MANUAL);
            Parcel.Moment.PRE_UPDATE.bringAbout(parcels(), key);
            outbox().record(event("kept", key));
        });

        assertThat(types(key)).containsExactly("kept");
        assertThat(Shop.jdbc().queryForObject("SELECT weight FROM parcel WHERE id = ?", Integer.class, key))
                .isZero();
    }
}
