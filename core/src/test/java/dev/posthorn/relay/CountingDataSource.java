package dev.posthorn.relay;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** A data source that counts the statements which are executed on its connections. */
final class CountingDataSource {

    private final DataSource dataSource;
    private final AtomicInteger executed = new AtomicInteger();

    CountingDataSource(DataSource dataSource) {
        this.dataSource = wrap(DataSource.class, dataSource);
    }

    DataSource dataSource() {
        return dataSource;
    }

    /** How many were executed while this was done. */
    int during(Runnable work) {
        int before = executed.get();
        work.run();
        return executed.get() - before;
    }

    private <T> T wrap(Class<T> type, Object target) {
        Object wrapped =
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (target instanceof Statement && method.getName().startsWith("execute")) {
                        executed.incrementAndGet();
                    }
                    try {
                        return wrap(method.invoke(target, arguments));
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        return type.cast(wrapped);
    }

    private Object wrap(Object result) {
        if (result instanceof PreparedStatement) {
            return wrap(PreparedStatement.class, result);
        }
        if (result instanceof Statement) {
            return wrap(Statement.class, result);
        }
        return result instanceof Connection ? wrap(Connection.class, result) : result;
    }
}
