package dev.posthorn.spring.testing;

import dev.posthorn.log.SchemaName;
import dev.posthorn.testing.RecordedEvents;
import java.sql.Connection;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

/** What the application has recorded. */
public final class RecordedOutbox {

    private final DataSource dataSource;
    private final SchemaName schema;
    private long seen;

    RecordedOutbox(DataSource dataSource, SchemaName schema) {
        this.dataSource = dataSource;
        this.schema = schema;
    }

    /**
     * Everything recorded since {@link #clear()}, or ever. In a transaction, such as that of a {@code @Transactional} test,
     * what it has recorded so far is written now and is among it.
     */
    public synchronized RecordedEvents events() {
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationUtils.triggerFlush();
        }
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            return RecordedEvents.after(connection, schema, seen);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }

    /** From now on only what is recorded later counts; for tests that share a database. */
    public synchronized void clear() {
        seen = Math.max(seen, events().lastSeq());
    }
}
