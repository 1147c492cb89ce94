package dev.posthorn.spring.outbox;

import jakarta.persistence.EntityManager;
import java.util.Map;
import java.util.function.Consumer;
import org.hibernate.FlushMode;
import org.hibernate.Session;
import org.springframework.dao.support.DataAccessUtils;
import org.springframework.dao.support.PersistenceExceptionTranslator;
import org.springframework.orm.jpa.EntityManagerFactoryInfo;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/** Brings the changes of a transaction's entity managers to the database, and with that locks their rows. */
final class JpaFlush implements Consumer<WatchedTransaction> {

    private static final boolean HIBERNATE =
            ClassUtils.isPresent("org.hibernate.Session", JpaFlush.class.getClassLoader());

    @Override
    public void accept(WatchedTransaction transaction) {
        // A copy, because a listener of the flush may bind something.
        Map.copyOf(TransactionSynchronizationManager.getResourceMap()).forEach((factory, resource) -> {
            if (resource instanceof EntityManagerHolder holder
                    && holder.isSynchronizedWithTransaction()
                    && transaction.owns(holder)) {
                flush(holder.getEntityManager(), factory);
            }
        });
    }

    /** The commit would have flushed it too, and told what is wrong by the exceptions that the application knows. */
    private static void flush(EntityManager entityManager, Object factory) {
        if (HIBERNATE && Hibernate.isFlushedByHand(entityManager)) {
            return;
        }
        try {
            entityManager.flush();
        } catch (RuntimeException e) {
            throw DataAccessUtils.translateIfNecessary(e, translator(factory));
        }
    }

    private static PersistenceExceptionTranslator translator(Object factory) {
        return factory instanceof EntityManagerFactoryInfo info && info.getJpaDialect() != null
                ? info.getJpaDialect()
                : e -> null;
    }

    /** Apart, because another provider of JPA may be there instead. */
    private static final class Hibernate {

        /** As in a read-only transaction: what is not flushed when it commits was never meant for the database. */
        static boolean isFlushedByHand(EntityManager entityManager) {
            return entityManager.unwrap(Session.class).getHibernateFlushMode() == FlushMode.MANUAL;
        }
    }
}
