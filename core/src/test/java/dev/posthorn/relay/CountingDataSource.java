package dev.posthorn.relay;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** A data source that counts the statements which are executed on its connections. */
final class CountingDataSource {

    private final DataSource dataSource;
    private final AtomicInteger executed = new AtomicInteger();

    /** Those that were prepared, by their text. */
    private final Queue<String> texts = new ConcurrentLinkedQueue<>();

    CountingDataSource(DataSource dataSource) {
        this.dataSource = wrap(DataSource.class, dataSource, "");
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

    /** What was prepared and executed while this was done. */
    List<String> textsDuring(Runnable work) {
        texts.clear();
        work.run();
        return List.copyOf(texts);
    }

    private <T> T wrap(Class<T> type, Object target, String text) {
        Object wrapped =
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    if (target instanceof Statement && method.getName().startsWith("execute")) {
                        executed.incrementAndGet();
                        texts.add(text);
                    }
                    try {
                        boolean prepares = method.getName().equals("prepareStatement");
                        return wrap(method.invoke(target, arguments), prepares ? (String) arguments[0] : "");
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        return type.cast(wrapped);
    }

    private Object wrap(Object result, String text) {
        if (result instanceof PreparedStatement) {
            return wrap(PreparedStatement.class, result, text);
        }
        if (result instanceof Statement) {
            return wrap(Statement.class, result, text);
        }
        return result instanceof Connection ? wrap(Connection.class, result, text) : result;
    }
}
