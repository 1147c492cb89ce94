package dev.posthorn.relay;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/** A data source whose server dies at the commit of the next settle, once it is told to. */
final class DyingDataSource {

    /** On which side of the commit. */
    enum Death {
        BEFORE,
        AFTER
    }

    private static final Pattern SETTLE = Pattern.compile("UPDATE \\S*lane_mark\\W+SET a = ");

    private final DataSource dataSource;
    private final Runnable kill;
    private Death death;

    DyingDataSource(DataSource dataSource, Runnable kill) {
        this.dataSource = dataSource;
        this.kill = kill;
    }

    void dieAtSettle(Death when) {
        death = when;
    }

    /** Whether it has happened. */
    boolean hasDied() {
        return death == null;
    }

    DataSource get() {
        return proxy(
                DataSource.class,
                (self, method, args) ->
                        call(dataSource, method, args) instanceof Connection connection ? dying(connection) : null);
    }

    private Connection dying(Connection connection) {
        boolean[] settling = new boolean[1];
        return proxy(Connection.class, (self, method, args) -> {
            String name = method.getName();
            if (name.equals("commit") && settling[0]) {
                settling[0] = false;
                return commit(connection, method, args);
            }
            Object result = call(connection, method, args);
            return name.equals("prepareStatement")
                            && SETTLE.matcher(args[0].toString()).find()
                    ? settle(connection, (PreparedStatement) result, settling)
                    : result;
        });
    }

    /** By itself a settle's statement commits; inside a transaction the commit comes later. */
    private PreparedStatement settle(Connection connection, PreparedStatement statement, boolean[] settling) {
        return proxy(PreparedStatement.class, (self, method, args) -> {
            if (!method.getName().equals("executeQuery")) {
                return call(statement, method, args);
            }
            settling[0] = !connection.getAutoCommit();
            return settling[0] ? call(statement, method, args) : commit(statement, method, args);
        });
    }

    private Object commit(Object target, Method method, Object[] args) throws Throwable {
        Death now = death;
        death = null;
        if (now == Death.BEFORE) {
            kill.run();
        }
        Object result = call(target, method, args);
        if (now == Death.AFTER) {
            kill.run();
            throw new SQLException("the answer never came", "08006");
        }
        return result;
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(DyingDataSource.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static Object call(Object target, Method method, Object[] args) throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
