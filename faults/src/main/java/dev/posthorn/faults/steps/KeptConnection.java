package dev.posthorn.faults.steps;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** One connection that closing gives back: opening one takes longer than all that a step does with it. */
final class KeptConnection implements AutoCloseable {

    private final Connection connection;

    KeptConnection(DataSource dataSource) throws SQLException {
        this.connection = dataSource.getConnection();
    }

    Connection connection() {
        return (Connection) Proxy.newProxyInstance(
                KeptConnection.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, args) -> {
                    try {
                        return method.getName().equals("close") ? null : method.invoke(connection, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause() == null ? e : e.getCause();
                    }
                });
    }

    DataSource dataSource() {
        return (DataSource) Proxy.newProxyInstance(
                KeptConnection.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (self, method, args) -> connection());
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
