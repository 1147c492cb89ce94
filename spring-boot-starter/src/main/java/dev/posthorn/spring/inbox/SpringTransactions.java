package dev.posthorn.spring.inbox;

import dev.posthorn.inbox.Effect;
import dev.posthorn.inbox.Transactions;
import dev.posthorn.spring.outbox.WatchedTransaction;
import dev.posthorn.spring.setup.SetupException;
import java.io.Serial;
import java.sql.Connection;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Transactions of the application's manager: repositories, templates and entity managers take part in them. */
final class SpringTransactions implements Transactions {

    private final TransactionTemplate template;
    private final DataSource dataSource;

    SpringTransactions(PlatformTransactionManager manager, DataSource dataSource) {
        this.template = new TransactionTemplate(manager);
        this.template.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        this.dataSource = dataSource;
    }

    @Override
    @SuppressWarnings("unchecked") // What is carried was thrown by the work.
    public <T extends @Nullable Object, E extends Exception> T run(Effect<T, E> work) throws E {
        try {
            return template.<T>execute(status -> apply(work));
        } catch (Carried e) {
            throw (E) e.checked;
        }
    }

    private <T extends @Nullable Object, E extends Exception> T apply(Effect<T, E> work) {
        requireOurs();
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            return work.apply(connection);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new Carried(e);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }

    /** Otherwise the inbox entry would be committed by itself, or with a transaction around this one. */
    private void requireOurs() {
        Object connection = TransactionSynchronizationManager.getResource(dataSource);
        WatchedTransaction transaction = WatchedTransaction.current();
        if (connection == null || (transaction != null && !transaction.commits(connection))) {
            throw new SetupException(
                    "The transactions that @InboxListener methods run in are not of the data source with Posthorn's tables",
                    "Let posthorn.inbox.transaction-manager name the transaction manager of that data source");
        }
    }

    /** Brings a checked exception through the template, which rolls back after any unchecked one. */
    private static final class Carried extends RuntimeException {

        @Serial
        private static final long serialVersionUID = 1L;

        private final Exception checked;

        Carried(Exception checked) {
            super(checked);
            this.checked = checked;
        }
    }
}
