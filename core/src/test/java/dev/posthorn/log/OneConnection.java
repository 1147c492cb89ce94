package dev.posthorn.log;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** A pool of one connection, which closing gives back. */
final class OneConnection implements AutoCloseable {

    private final Connection connection;

    OneConnection(DataSource dataSource) throws SQLException {
        this.connection = dataSource.getConnection();
    }

    DataSource dataSource() {
        Object kept = Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Connection.class},
                (self, method, args) -> method.getName().equals("close") ? null : method.invoke(connection, args));
        return (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (self, method, args) -> kept);
    }

    void setNetworkTimeout(int millis) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, millis);
    }

    int networkTimeout() throws SQLException {
        return connection.getNetworkTimeout();
    }

    String show(String setting) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW " + setting)) {
            row.next();
            return row.getString(1);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
