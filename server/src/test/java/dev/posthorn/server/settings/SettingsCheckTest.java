package dev.posthorn.server.settings;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.server.Hub;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

class SettingsCheckTest {

    private static final Map<String, Object> SOUND =
            Map.of("posthorn.database.url", "jdbc:postgresql://127.0.0.1:1/none");

    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            POSTHORN_DATABSE_URL        | there is no setting posthorn.databse.url, which the environment variable POSTHORN_DATABSE_URL sets; did you mean posthorn.database.url (POSTHORN_DATABASE_URL)?
            POSTHORN_HTTP_PROT          | did you mean posthorn.http.port (POSTHORN_HTTP_PORT)?
            posthorn_http_prot          | did you mean posthorn.http.port (POSTHORN_HTTP_PORT)?
            POSTHORN_DATABASE_POOLSIZES | did you mean posthorn.database.pool-size (POSTHORN_DATABASE_POOLSIZE)?
            POSTHORN_HTTP_PORT_0        | did you mean posthorn.http.port (POSTHORN_HTTP_PORT)?
            """)
    void anUnknownEnvironmentVariableIsRefused(String name, String message) {
        assertThatThrownBy(() -> check(SOUND, Map.of(name, "x")))
                .isInstanceOf(WrongSettingException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "POSTHORN_JAVA_OPTS",
                "POSTHORN_CACHE",
                "POSTHORN_DATABASE_USER",
                "POSTHORN_SECRETS_FORMERKEYS",
                "POSTHORN_SECRETS_FORMERKEYS_0",
                "POSTHORN_SECRETS_FORMER_KEYS_1_",
                "POSTHORNS_PORT",
                "PATH"
            })
    void otherEnvironmentVariablesAreFine(String name) {
        assertThatCode(() -> check(SOUND, Map.of(name, "x"))).doesNotThrowAnyException();
    }

    @Test
    void anEnvironmentVariableMayBeWrittenWithOrWithoutTheDashes() {
        for (String name : new String[] {"POSTHORN_DATABASE_POOLSIZE", "POSTHORN_DATABASE_POOL_SIZE"}) {
            StandardEnvironment environment = environment(Map.of(), Map.of(name, "7"));
            HubSettings settings = Binder.get(environment).bindOrCreate("posthorn", HubSettings.class);
            assertThat(settings.database().poolSize()).as(name).isEqualTo(7);
            assertThatCode(() -> check(SOUND, Map.of(name, "7"))).doesNotThrowAnyException();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "posthorn.htp.port, posthorn.http.port",
        "posthorn.http.port[0], posthorn.http.port",
        "posthorn.limits.bodySize, posthorn.limits.body",
        "posthorn.eventtype, posthorn.event-types"
    })
    void anUnknownPropertyIsRefused(String name, String meant) {
        assertThatThrownBy(() -> check(with(name, "1"), Map.of()))
                .isInstanceOf(WrongSettingException.class)
                .hasMessageStartingWith("there is no setting " + name + "; did you mean " + meant + " (");
    }

    @Test
    void propertiesMayBeWrittenInEveryFormThatSpringReads() {
        assertThatCode(() -> check(with("posthorn.database.poolSize", "5"), Map.of()))
                .doesNotThrowAnyException();
        assertThatCode(() -> check(with("posthorn.secrets.former-keys[0]", "x"), Map.of()))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            posthorn.http.port                  | 65536     | posthorn.http.port is 65536
            posthorn.http.port                  | 9090      | posthorn.http.port and posthorn.grpc.port are both 9090
            posthorn.grpc.port                  | -1        | posthorn.grpc.port is -1
            posthorn.http.port                  | eighty    | posthorn.http.port is 'eighty'; it must be a whole number
            posthorn.event-types                | loose     | posthorn.event-types is 'loose'; it must be open or strict
            posthorn.retention.log              | a week    | posthorn.retention.log is 'a week'; it must be a time, such as 500ms, 30s or 7d
            posthorn.limits.body                | a lot     | posthorn.limits.body is 'a lot'; it must be a size, such as 512KB or 16MB
            posthorn.relay.enabled              | perhaps   | posthorn.relay.enabled is 'perhaps'; it must be true or false
            posthorn.limits.requests-per-second | many      | posthorn.limits.requests-per-second is 'many'; it must be a number
            posthorn.destinations.only-ports    | 80,https  | ; it must be a whole number
            posthorn.http.tls.certificate       | a.pem     | posthorn.http.tls.certificate and posthorn.http.tls.private-key belong together
            posthorn.grpc.tls.private-key       | a.pem     | posthorn.grpc.tls.certificate and posthorn.grpc.tls.private-key belong together
            posthorn.http.address               | 0.0.0.0   | set posthorn.access.admin-key (POSTHORN_ACCESS_ADMINKEY) or listen on 127.0.0.1
            posthorn.grpc.address               | ::        | posthorn.grpc.address is ::, where others can reach the hub
            posthorn.http.address               | no.such.invalid | posthorn.http.address is 'no.such.invalid'
            posthorn.access.admin-key           | short     | posthorn.access.admin-key must have at least 20 characters
            posthorn.database.pool-size         | 1         | posthorn.database.pool-size is 1; it must be at least 2
            posthorn.database.url               | mysql://x | posthorn.database.url must begin with jdbc:postgresql:
            posthorn.limits.body                | 0B        | posthorn.limits.body must be more than 0B
            posthorn.limits.body                | 3GB       | posthorn.limits.body must be more than 0B and less than 512MB
            posthorn.limits.headers             | -1KB      | posthorn.limits.headers must be more than 0B
            posthorn.limits.batch               | 0         | posthorn.limits.batch must be at least 1
            posthorn.limits.depth               | 0         | posthorn.limits.depth must be at least 1
            posthorn.limits.concurrent-requests | 0         | posthorn.limits.concurrent-requests must be at least 1
            posthorn.limits.requests-per-second | -1        | posthorn.limits.requests-per-second must be 0
            posthorn.relay.workers              | 0         | posthorn.relay.workers must be from 1 to 64: each is a connection and reads the log
            posthorn.relay.workers              | 999       | posthorn.relay.workers must be from 1 to 64: each is a connection and reads the log
            posthorn.relay.session-ttl          | 1s        | posthorn.relay.session-ttl must be at least 2s
            posthorn.retention.dedup-period     | 0s        | posthorn.retention.dedup-period must be more than 0
            posthorn.metrics.per-subscription   | busiest   | posthorn.metrics.per-subscription is 'busiest'; it must be all, none, or busiest and a number from 1 to 10000, such as 'busiest 100'
            posthorn.metrics.per-subscription   | top 10    | posthorn.metrics.per-subscription is 'top 10'; it must be all, none, or busiest
            """)
    void whatDoesNotGoIsRefusedInOneLineThatNamesIt(String name, String value, String message) {
        assertThatThrownBy(() -> check(with(name, value), Map.of()))
                .isInstanceOf(WrongSettingException.class)
                .hasMessageContaining(message)
                .satisfies(error -> assertThat(error.getMessage()).doesNotContain("\n"));
    }

    @Test
    void withAnAdminKeyOneMayListenAnywhere() {
        Map<String, Object> settings = with("posthorn.http.address", "0.0.0.0");
        settings.put("posthorn.access.admin-key", "twenty characters it is");
        assertThatCode(() -> check(settings, Map.of())).doesNotThrowAnyException();
    }

    @Test
    void filesMustBeThereAndDirectoriesWritable() throws Exception {
        Map<String, Object> tls = with("posthorn.http.tls.certificate", directory.resolve("none.pem"));
        tls.put("posthorn.http.tls.private-key", directory.resolve("none.pem"));
        assertThatThrownBy(() -> check(tls, Map.of())).hasMessageContaining("not a file that the hub can read");
        Path file = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(() -> check(Map.of("posthorn.data", file.resolve("data")), Map.of()))
                .hasMessageContaining("not a directory that the hub can write to");
    }

    @Test
    void theHubDoesNotStartWithAWrongSettingFromAnywhere() {
        assertThatThrownBy(() -> Hub.start(Map.of("posthorn.htp.port", 1))).isInstanceOf(WrongSettingException.class);
        System.setProperty("posthorn.htp.port", "1");
        try {
            assertThatThrownBy(() -> Hub.start(new HashMap<>(SOUND))).isInstanceOf(WrongSettingException.class);
        } finally {
            System.clearProperty("posthorn.htp.port");
        }
    }

    @Test
    void theReasonIsOneLine() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        WrongSettingException error = new WrongSettingException("posthorn.x must be y");
        new PlainReporter(new PrintStream(out, true, UTF_8)).report(new WrongSettingAnalyzer().analyze(error, error));
        assertThat(out.toString(UTF_8)).isEqualTo("posthorn: posthorn.x must be y" + System.lineSeparator());
    }

    private static Map<String, Object> with(String name, Object value) {
        Map<String, Object> settings = new HashMap<>(SOUND);
        settings.put(name, value);
        return settings;
    }

    private static void check(Map<String, Object> properties, Map<String, Object> variables) {
        GenericApplicationContext context = new GenericApplicationContext();
        context.setEnvironment(environment(properties, variables));
        new SettingsCheck().initialize(context);
    }

    private static StandardEnvironment environment(Map<String, Object> properties, Map<String, Object> variables) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("given", properties));
        environment
                .getPropertySources()
                .replace(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        new SystemEnvironmentPropertySource(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
        ConfigurationPropertySources.attach(environment);
        return environment;
    }
}
