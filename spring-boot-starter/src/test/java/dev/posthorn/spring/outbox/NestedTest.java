package dev.posthorn.spring.outbox;

import static dev.posthorn.spring.shop.Shop.event;
import static dev.posthorn.spring.shop.Shop.outbox;
import static dev.posthorn.spring.shop.Shop.types;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.spring.shop.Shop;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.UUID;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.hibernate.Session;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.jooq.autoconfigure.SpringTransactionProvider;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.vendor.HibernateJpaDialect;
import org.springframework.transaction.SavepointManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;
import org.springframework.transaction.support.TransactionTemplate;

/** Savepoints: what was recorded before one outlives a rollback to it, wherever it was written meanwhile. */
class NestedTest {

    private final String key = UUID.randomUUID().toString();

    enum Kind {
        JDBC {
            @Override
            AbstractPlatformTransactionManager make() {
                return new JdbcTransactionManager(Shop.bean(DataSource.class));
            }
        },
        JPA {
            @Override
            AbstractPlatformTransactionManager make() {
                JpaTransactionManager manager = new JpaTransactionManager(Shop.bean(EntityManagerFactory.class));
                manager.setJpaDialect(new SavepointDialect());
                manager.setDataSource(Shop.bean(DataSource.class));
                manager.setNestedTransactionAllowed(true);
                return manager;
            }
        };

        abstract AbstractPlatformTransactionManager make();

        TransactionTemplate transaction(int propagation) {
            TransactionTemplate template = new TransactionTemplate(WatchedManagers.watched(make()));
            template.setPropagationBehavior(propagation);
            return template;
        }

        void outer(Consumer<TransactionStatus> work) {
            transaction(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(work);
        }

        void nested(Consumer<TransactionStatus> work) {
            transaction(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult(work);
        }
    }

    /** Hibernate's with savepoints of the connection, as an application has it that wants NESTED with JPA. */
    private static final class SavepointDialect extends HibernateJpaDialect {

        private static final long serialVersionUID = 1;

        @Override
        public Object beginTransaction(EntityManager entityManager, TransactionDefinition definition)
                throws SQLException {
            return new Savepoints(super.beginTransaction(entityManager, definition), entityManager);
        }

        @Override
        public void cleanupTransaction(@Nullable Object data) {
            super.cleanupTransaction(data instanceof Savepoints savepoints ? savepoints.hibernates() : data);
        }
    }

    private record Savepoints(Object hibernates, EntityManager entityManager) implements SavepointManager {

        @Override
        public Object createSavepoint() {
            return session().doReturningWork(connection -> connection.setSavepoint());
        }

        @Override
        public void rollbackToSavepoint(Object savepoint) {
            session().doWork(connection -> connection.rollback((Savepoint) savepoint));
        }

        @Override
        public void releaseSavepoint(Object savepoint) {
            session().doWork(connection -> connection.releaseSavepoint((Savepoint) savepoint));
        }

        private Session session() {
            return entityManager.unwrap(Session.class);
        }
    }

    private void record(String type) {
        outbox().record(event(type, key));
    }

    /** What brings the pending events to the database in the middle of a transaction. */
    private static void flush(TransactionStatus status) {
        status.flush();
        TransactionSynchronizationUtils.triggerFlush();
    }

    /** The first was lost: it was written inside the savepoint. */
    @ParameterizedTest
    @EnumSource
    void anEventFromBeforeTheSavepointOutlivesAFlushAndARollbackInside(Kind kind) {
        kind.outer(outer -> {
            record("first");
            kind.nested(inner -> {
                record("dropped");
                flush(inner);
                inner.setRollbackOnly();
            });
            record("last");
        });
        assertThat(types(key)).containsExactly("first", "last");
    }

    @ParameterizedTest
    @EnumSource
    void whatWasWrittenBeforeTheSavepointIsNotWrittenAgain(Kind kind) {
        kind.outer(outer -> {
            record("first");
            flush(outer);
            record("second");
            kind.nested(inner -> {
                record("dropped");
                flush(inner);
                inner.setRollbackOnly();
            });
        });
        assertThat(types(key)).containsExactly("first", "second");
    }

    @ParameterizedTest
    @EnumSource
    void severalLevelsEachTakeBackTheirOwn(Kind kind) {
        kind.outer(outer -> {
            record("a");
            kind.nested(inner -> {
                record("b");
                flush(inner);
                kind.nested(innermost -> {
                    record("dropped");
                    flush(innermost);
                    innermost.setRollbackOnly();
                });
                record("c");
                flush(inner);
            });
            kind.nested(inner -> {
                record("dropped-too");
                kind.nested(innermost -> {
                    record("dropped-with-the-one-around-it");
                    flush(innermost);
                });
                inner.setRollbackOnly();
            });
            record("d");
        });
        assertThat(types(key)).containsExactly("a", "b", "c", "d");
    }

    @ParameterizedTest
    @EnumSource
    void aSavepointThatIsGoneBackToTwice(Kind kind) {
        kind.outer(outer -> {
            record("first");
            Object savepoint = outer.createSavepoint();
            record("dropped");
            flush(outer);
            outer.rollbackToSavepoint(savepoint);
            record("dropped-too");
            flush(outer);
            outer.rollbackToSavepoint(savepoint);
            outer.releaseSavepoint(savepoint);
            record("last");
        });
        assertThat(types(key)).containsExactly("first", "last");
    }

    @ParameterizedTest
    @EnumSource
    void afterANestedBlockThatCommittedTheOuterOneGoesOnRecording(Kind kind) {
        kind.outer(outer -> {
            record("first");
            kind.nested(inner -> {
                record("second");
                flush(inner);
            });
            record("third");
        });
        assertThat(types(key)).containsExactly("first", "second", "third");
    }

    @ParameterizedTest
    @EnumSource
    void anOuterRollbackTakesEverything(Kind kind) {
        kind.outer(outer -> {
            record("first");
            kind.nested(inner -> {
                record("second");
                flush(inner);
            });
            outer.setRollbackOnly();
        });
        assertThat(types(key)).isEmpty();
    }

    @Test
    void transactionsOfJooqInsideOneOfJooqTakeBackTheirOwn() {
        DSLContext jooq = DSL.using(Shop.bean(DSLContext.class)
                .configuration()
                .derive(new SpringTransactionProvider(WatchedManagers.watched(Kind.JDBC.make()))));
        jooq.transaction(outer -> {
            record("first");
            assertThatThrownBy(() -> outer.dsl().transaction(inner -> {
                        record("dropped");
                        throw new IllegalStateException("back");
                    }))
                    .hasMessage("back");
            outer.dsl().transaction(inner -> record("second"));
            record("third");
        });
        assertThat(types(key)).containsExactly("first", "second", "third");
    }
}
