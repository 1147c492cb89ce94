package dev.posthorn.faults.killpoint;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A data source whose connections pass a kill point before and after every prepared statement and commit. */
public final class PointedDataSource {

    private final DataSource dataSource;
    private final KillPoints points;
    private final List<Connection> open = new CopyOnWriteArrayList<>();

    public PointedDataSource(DataSource dataSource, KillPoints points) {
        this.dataSource = dataSource;
        this.points = points;
    }

    public DataSource get() {
        return proxy(DataSource.class, (self, method, args) -> {
            Object result = call(dataSource, method, args);
            return result instanceof Connection connection ? pointed(connection) : result;
        });
    }

    /** Drops every connection as the end of a process would: what is not committed never happened. */
    public void abort() throws SQLException {
        for (Connection connection : open) {
            connection.abort(Runnable::run);
        }
    }

    private Connection pointed(Connection connection) {
        open.add(connection);
        return proxy(Connection.class, new PointedConnection(connection));
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(PointedDataSource.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static @Nullable Object call(Object target, Method method, Object @Nullable [] args) throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private final class PointedConnection implements InvocationHandler {

        private final Connection connection;

        /** 0 outside a transaction. */
        private int transaction;

        PointedConnection(Connection connection) {
            this.connection = connection;
        }

        @Override
        public @Nullable Object invoke(Object self, Method method, Object @Nullable [] args) throws Throwable {
            switch (method.getName()) {
                case "prepareStatement" -> {
                    Object statement = call(connection, method, args);
                    String sql = args == null ? "" : String.valueOf(args[0]);
                    return statement == null
                            ? null
                            : proxy(PreparedStatement.class, new PointedStatement(this, statement, sql));
                }
                case "setAutoCommit" -> {
                    transaction = args != null && Boolean.FALSE.equals(args[0]) ? points.unit() : 0;
                    return call(connection, method, args);
                }
                case "commit" -> {
                    points.at(transaction, Point.Place.BEFORE_COMMIT, Set.of());
                    Object result = call(connection, method, args);
                    points.at(transaction, Point.Place.AFTER_COMMIT, Set.of());
                    return result;
                }
                default -> {
                    return call(connection, method, args);
                }
            }
        }

        int unit() {
            return transaction == 0 ? points.unit() : transaction;
        }
    }

    private final class PointedStatement implements InvocationHandler {

        private final PointedConnection connection;
        private final Object statement;
        private final String sql;
        private final Map<Integer, String> arrays = new TreeMap<>();

        PointedStatement(PointedConnection connection, Object statement, String sql) {
            this.connection = connection;
            this.statement = statement;
            this.sql = sql.replaceAll("\\s+", " ");
        }

        @Override
        public @Nullable Object invoke(Object self, Method method, Object @Nullable [] args) throws Throwable {
            String name = method.getName();
            if (name.equals("setArray") && args != null) {
                arrays.put((Integer) args[0], String.valueOf(args[1]));
            }
            if (!name.startsWith("execute")) {
                return call(statement, method, args);
            }
            Set<Kind> kinds = Kind.of(sql + " " + arrays.values());
            int unit = connection.unit();
            points.at(unit, Point.Place.BEFORE_STATEMENT, kinds);
            Object result = call(statement, method, args);
            points.at(unit, Point.Place.AFTER_STATEMENT, kinds);
            return result;
        }
    }
}
