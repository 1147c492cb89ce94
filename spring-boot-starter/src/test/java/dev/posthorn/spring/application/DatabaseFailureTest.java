package dev.posthorn.spring.application;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.spring.outbox.OutboxAutoConfiguration;
import dev.posthorn.spring.settings.PropertiesAutoConfiguration;
import dev.posthorn.spring.setup.PosthornAutoConfiguration;
import dev.posthorn.spring.shop.TestServer;
import dev.posthorn.testkit.FreePort;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What an application is told that cannot use its database. It was a trace. */
@ExtendWith(OutputCaptureExtension.class)
class DatabaseFailureTest {

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataSourceAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        JacksonAutoConfiguration.class,
        PropertiesAutoConfiguration.class,
        PosthornAutoConfiguration.class,
        OutboxAutoConfiguration.class
    })
    static class Application {}

    private static void start(String url, Class<?>[] sources, String... arguments) {
        new SpringApplicationBuilder(sources)
                .web(WebApplicationType.NONE)
                .properties("spring.application.name=shop", "spring.datasource.url=" + url, "posthorn.role=writer")
                .run(arguments)
                .close();
    }

    /** The report, without what the pool logs by itself. */
    private static String report(CapturedOutput output, String url, String... arguments) {
        return report(output, url, new Class<?>[] {Application.class}, arguments);
    }

    private static String report(CapturedOutput output, String url, Class<?>[] sources, String... arguments) {
        assertThatThrownBy(() -> start(url, sources, arguments));
        String all = output.toString();
        assertThat(all).contains("APPLICATION FAILED TO START");
        String report = all.substring(all.indexOf("APPLICATION FAILED TO START"));
        assertThat(report).doesNotContain("\tat ");
        return report;
    }

    private static void execute(String url, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String as(String user, String url) {
        return url.substring(0, url.indexOf('?')) + "?user=" + user + "&password=x";
    }

    @Test
    void aWrongPassword(CapturedOutput output) {
        String url = TestServer.database();
        assertThat(report(output, url.replaceAll("password=.*", "password=wrong")))
                .contains("The database does not answer: FATAL: password authentication failed for user")
                .contains("spring.datasource.password");
    }

    @Test
    void aServerThatIsNotThere(CapturedOutput output) {
        int port = FreePort.find();
        assertThat(report(output, "jdbc:postgresql://127.0.0.1:" + port + "/shop?user=shop&password=x"))
                .contains("Connection to 127.0.0.1:" + port + " refused")
                .contains("Start PostgreSQL, or correct host and port in spring.datasource.url");
    }

    @Test
    void aDatabaseThatDoesNotExist(CapturedOutput output) {
        String url = TestServer.database();
        assertThat(report(output, url.replaceAll("/test_\\d+_\\d+", "/shopp")))
                .contains("FATAL: database \"shopp\" does not exist")
                .contains("CREATE DATABASE", "spring.datasource.url");
    }

    @Test
    void aUserWhoMayNotCreateTheTables(CapturedOutput output) throws SQLException {
        String url = TestServer.database();
        execute(url, "CREATE ROLE tenant LOGIN PASSWORD 'x'");
        assertThat(report(output, as("tenant", url)))
                .contains("installing schema posthorn failed", "permission denied for database")
                .contains("GRANT CREATE ON DATABASE", "posthorn.schema.install=flyway", "./posthorn schema prints");
    }

    @Test
    void aUserWhoMayNotLookAtTheTables(CapturedOutput output) throws SQLException {
        String url = TestServer.database();
        start(url, new Class<?>[] {Application.class});
        execute(url, "CREATE ROLE stranger LOGIN PASSWORD 'x'");
        assertThat(report(output, as("stranger", url), "--posthorn.schema.install=none"))
                .contains("looking at schema posthorn failed", "permission denied for schema posthorn")
                .contains("./posthorn schema --roles");
    }

    /** A real server that gives itself out for another one. */
    @Configuration(proxyBeanMethods = false)
    static class Disguised {

        @Bean
        static BeanPostProcessor disguise() {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String name) {
                    return bean instanceof DataSource real ? saying("MariaDB", DataSource.class, real) : bean;
                }
            };
        }

        private static <T> T saying(String name, Class<T> type, T real) {
            return type.cast(Proxy.newProxyInstance(
                    type.getClassLoader(), new Class<?>[] {type}, (self, method, given) -> {
                        Object answer = method.invoke(real, given);
                        if (answer instanceof Connection connection) {
                            return saying(name, Connection.class, connection);
                        }
                        return answer instanceof DatabaseMetaData metadata
                                ? saying(name, DatabaseMetaData.class, metadata)
                                : method.getName().equals("getDatabaseProductName") ? name : answer;
                    }));
        }
    }

    @Test
    void aDatabaseThatIsNoPostgresql(CapturedOutput output) {
        assertThat(report(output, TestServer.database(), new Class<?>[] {Application.class, Disguised.class}))
                .contains("the database is MariaDB", "Posthorn needs PostgreSQL 13 or later")
                .contains("spring.datasource.url", "same database as your business data");
    }

    @Test
    void whatIsNoneOfPosthornsBusinessIsLeftToOthers() {
        SQLException denied = new SQLException("permission denied for table invoice", "42501");
        assertThat(Analyzers.ALL).allSatisfy(analyzer -> {
            assertThat(analyzer.analyze(new IllegalStateException(denied))).isNull();
            assertThat(analyzer.analyze(new IllegalStateException(new SQLException("syntax error", "42601"))))
                    .isNull();
        });
        FailureAnalysis ours = Analyzers.analyze(
                new PosthornException(ErrorCode.DATABASE, "looking at schema posthorn failed", denied));
        assertThat(ours.getAction()).contains("--roles");
    }
}
