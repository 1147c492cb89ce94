package dev.posthorn.spring;

import jakarta.persistence.EntityManager;
import java.util.Map;
import org.springframework.dao.support.DataAccessUtils;
import org.springframework.dao.support.PersistenceExceptionTranslator;
import org.springframework.orm.jpa.EntityManagerFactoryInfo;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Brings the changes of the transaction's entity managers to the database, and with that locks their rows. */
final class JpaFlush implements Runnable {

    @Override
    public void run() {
        // A copy, because a listener of the flush may bind something.
        Map.copyOf(TransactionSynchronizationManager.getResourceMap()).forEach((factory, resource) -> {
            if (resource instanceof EntityManagerHolder holder && holder.isSynchronizedWithTransaction()) {
                flush(holder.getEntityManager(), factory);
            }
        });
    }

    /** The commit would have flushed it too, and told what is wrong by the exceptions that the application knows. */
    private static void flush(EntityManager entityManager, Object factory) {
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
}
