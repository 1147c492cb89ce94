package dev.posthorn.server.subscriptions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.log.Filter;
import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestClient.Answer;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.documents.SecretPlaces;
import dev.posthorn.subscription.AfterDeadLetter;
import dev.posthorn.subscription.KeepAttempts;
import dev.posthorn.subscription.Subscription;
import dev.posthorn.subscription.WhenUnavailable;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the calls answer. Nothing is delivered here. */
class SubscriptionApiTest {

    private static final String SINK = "\"sink\": {\"kind\": \"http\", \"url\": \"http://127.0.0.1:9/x\"}";
    private static final String BASE = "/v1/subscriptions/";
    private static final String EVERYTHING = """
            {"description": "all there is",
             "filter": {"types": ["a.*"], "sources": ["s"], "aggregateTypes": ["b"], "headers": {"tenant": "x"}},
             "sink": {"kind": "http", "url": "http://127.0.0.1:9/x", "form": "structured",
                      "auth": {"kind": "oauth2", "tokenUrl": "http://127.0.0.1:9/token", "clientId": "me",
                               "clientSecret": "%1$s", "scope": ["a", "b"], "audience": "you",
                               "parameters": {"resource": "%1$s"}, "secretInForm": true},
                      "signingSecrets": ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
                      "headers": {"x-tenant": "%1$s"}, "proxy": "http://127.0.0.1:3128", "concurrency": 8,
                      "retryOn": [404, 409], "keepAnswer": 100},
             "retry": {"maxAttempts": "unlimited", "delays": ["30s", "1m"]}, "timeout": "2s", "inFlightLimit": 100,
             "inFlightBytes": 1000000000, "keepAttempts": "all", "batchSize": 50,
             "pollInterval": {"least": "2ms", "most": "1s"},
             "ratePerSecond": 12.5, "lanes": 2, "ordering": "key", "afterDeadLetter": "hold",
             "whenUnavailable": "wait", "breakerAfter": 5, "blockedKeysLimit": 7, "start": "2026-01-31T12:00:00Z"}
            """;

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private static TestHub hub;
    private static TestClient rest;

    @BeforeAll
    static void start() {
        hub = TestHub.start(Map.of("posthorn.relay.enabled", "false"));
        rest = hub.rest();
    }

    @AfterAll
    static void stop() {
        hub.close();
    }

    @Test
    void everySettingIsKeptAndEverySecretIsHidden() {
        Answer put = rest.put(BASE + "everything", EVERYTHING.formatted("s3cret-value"));
        assertThat(put.status()).as(put.text()).isEqualTo(201);
        assertThat(put.header("ETag")).isEqualTo("\"1\"");
        JsonNode expected = JSON.readTree(EVERYTHING
                .formatted(SecretPlaces.MASK)
                .replace("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", SecretPlaces.MASK));
        JsonNode answer = rest.get(BASE + "everything").json();
        expected.properties()
                .forEach(each -> assertThat(JSON.readTree(
                                String.valueOf(answer.get(each.getKey())).replaceAll("\\*{8}[0-9a-f]{8}", "********")))
                        .as(each.getKey())
                        .isEqualTo(each.getValue()));
        assertThat(answer.path("name").stringValue()).isEqualTo("everything");
        assertThat(answer.path("state").stringValue()).isEqualTo("active");
        assertThat(answer.path("paused").asBoolean()).isFalse();
        assertThat(answer.path("createdAt").stringValue()).endsWith("Z");
        assertThat(rest.put(BASE + "everything", answer.toString())
                        .json()
                        .path("revision")
                        .asInt())
                .as("what was read can be written back")
                .isOne();
    }

    @Test
    void everySettingReachesTheRelay() {
        rest.put(BASE + "reaching", EVERYTHING.formatted("s3cret-value"));
        SubscriptionRow row =
                hub.bean(SubscriptionStore.class).table().find("reaching").orElseThrow();
        Subscription served = hub.bean(Blueprint.class).subscription(row);
        Subscription expected = Subscription.to("reaching", served.sink())
                .filter(Filter.types("a.*").sources("s").aggregateTypes("b").header("tenant", "x"))
                .lanes(2)
                .from(Instant.parse("2026-01-31T12:00:00Z"))
                .batchSize(50)
                .pollInterval(Duration.ofMillis(2), Duration.ofSeconds(1))
                .inFlightLimit(100)
                .inFlightBytes(1_000_000_000)
                .timeout(Duration.ofSeconds(2))
                .retry(served.retry())
                .afterDeadLetter(AfterDeadLetter.HOLD)
                .whenUnavailable(WhenUnavailable.WAIT)
                .breakerAfter(5)
                .blockedKeysLimit(7)
                .keepAttempts(KeepAttempts.ALL)
                .ratePerSecond(12.5)
                .revision(row.revision())
                .build();
        assertThat(served).isEqualTo(expected);
    }

    @Test
    void aPutCreatesChangesOrLeavesAsItIs() {
        Answer created = rest.put(BASE + "crud", "{" + SINK + "}");
        assertThat(created.status()).isEqualTo(201);
        Answer same = rest.put(BASE + "crud", "{ " + SINK + " }");
        assertThat(same.status()).isEqualTo(200);
        assertThat(same.header("ETag")).isEqualTo("\"1\"");
        Answer changed = rest.put(BASE + "crud", "{\"timeout\": \"3s\", " + SINK + "}");
        assertThat(changed.status()).isEqualTo(200);
        assertThat(changed.header("ETag")).isEqualTo("\"2\"");
        assertThat(changed.json().path("changedAt")).isNotEqualTo(created.json().path("changedAt"));
        assertThat(changed.json().path("createdAt")).isEqualTo(created.json().path("createdAt"));
        assertThat(rest.delete(BASE + "crud").status()).isEqualTo(204);
        assertThat(rest.get(BASE + "crud").status()).isEqualTo(404);

        JsonNode items = rest.get(BASE + "crud/revisions").json().path("items");
        assertThat(items).hasSize(3);
        assertThat(items.get(0).path("deleted").asBoolean()).isTrue();
        assertThat(items.get(0).has("document")).isFalse();
        assertThat(items.get(1).path("document").path("timeout").stringValue()).isEqualTo("3s");
        assertThat(items.get(1).path("changedBy").stringValue()).isEqualTo("local");
        assertThat(items.get(2).path("revision").asInt()).isOne();
        Answer first = rest.get(BASE + "crud/revisions?limit=2");
        assertThat(first.json().path("items")).hasSize(2);
        Answer rest2 = rest.get(BASE + "crud/revisions?limit=2&after="
                + first.json().path("next").stringValue());
        assertThat(rest2.json().path("items")).hasSize(1);
        assertThat(rest2.json().has("next")).isFalse();
    }

    @Test
    void aChangeCanBeMadeToDependOnTheRevision() {
        assertThat(rest.with("If-Match", "\"1\"")
                        .put(BASE + "etag", "{" + SINK + "}")
                        .status())
                .isEqualTo(412);
        assertThat(rest.with("If-None-Match", "*")
                        .put(BASE + "etag", "{" + SINK + "}")
                        .status())
                .isEqualTo(201);
        assertThat(rest.with("If-None-Match", "*")
                        .put(BASE + "etag", "{" + SINK + "}")
                        .status())
                .isEqualTo(412);
        assertThat(rest.with("If-None-Match", "\"1\"")
                        .put(BASE + "etag", "{" + SINK + "}")
                        .status())
                .isEqualTo(400);
        String other = "{\"timeout\": \"3s\", " + SINK + "}";
        assertThat(rest.with("If-Match", "\"7\"").put(BASE + "etag", other).status())
                .isEqualTo(412);
        assertThat(rest.with("If-Match", "\"9\", \"1\"")
                        .put(BASE + "etag", other)
                        .status())
                .isEqualTo(200);
        assertThat(rest.with("If-Match", "*").put(BASE + "etag", other).status())
                .isEqualTo(200);
        assertThat(rest.with("If-Match", "\"1\"").delete(BASE + "etag").status())
                .isEqualTo(412);
        assertThat(rest.with("If-None-Match", "\"2\"").get(BASE + "etag").status())
                .as("the state may have changed without the revision")
                .isEqualTo(200);
        assertThat(rest.with("If-Match", "\"2\"").delete(BASE + "etag").status())
                .isEqualTo(204);
    }

    @Test
    void aListComesInPages() {
        for (String name : List.of("page-a", "page-b", "page-c")) {
            rest.put(BASE + name, "{" + SINK + "}");
        }
        List<String> names = new ArrayList<>();
        String after = "";
        do {
            JsonNode page = rest.get("/v1/subscriptions?limit=1" + after).json();
            page.path("items").forEach(item -> names.add(item.path("name").stringValue()));
            after = page.has("next") ? "&after=" + page.path("next").stringValue() : "";
        } while (!after.isEmpty());
        assertThat(names).isSorted().doesNotHaveDuplicates().contains("page-a", "page-b", "page-c");
        assertThat(rest.get("/v1/subscriptions?limit=0").status()).isEqualTo(400);
        assertThat(rest.get("/v1/subscriptions?limit=1001").status()).isEqualTo(400);
        assertThat(rest.get("/v1/subscriptions?after=%21").status()).isEqualTo(400);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            ``                                                   | ``                  | the body must be one JSON object
            null                                                 | ``                  | the body
            []                                                   | ``                  | the body must be one JSON object
            {"sink":                                             | ``                  | not JSON
            {"timeout": "1s", "timeout": "2s"}                   | ``                  | more than once
            {}                                                   | sink                | is missing
            {"sink": 5}                                          | sink.kind           | is missing
            {"sink": {}}                                         | sink.kind           | is missing; give one of http, kafka
            {"sink": {"kind": "smtp"}}                           | sink.kind           | is unknown; give one of http, kafka
            {"sink": {"kind": "http"}}                           | sink.url            | is missing
            {"sink": {"kind": "http", "uri": "x"}}               | sink.uri            | is unknown; did you mean url?
            {"sinks": {}}                                        | sinks               | is unknown; did you mean sink?
            {"sink": {"kind": "http", "url": 5}}                 | sink.url            | a text
            {"sink": {"kind": "http", "url": "ftp://x"}}         | sink.url            | http
            {"sink": {"kind": "http", "url": "http://10.0.0.1"}} | sink.url            | posthorn.destinations.allow-networks
            {%s, "timeout": "soon"}                              | timeout             | is not a duration
            {%s, "timeout": 5}                                   | timeout             | is not a duration
            {%s, "timeout": "0s"}                                | timeout             | at least 1 ms
            {%s, "timeout": "2h"}                                | timeout             | longer than 1h
            {%s, "timeout": "999999999999d"}                     | timeout             | duration
            {%s, "lanes": 0}                                     | lanes               | must be 1 to 256
            {%s, "lanes": "4"}                                   | lanes               | a whole number
            {%s, "lanes": 1.5}                                   | lanes               | a whole number
            {%s, "lanes": 99999999999}                           | lanes               | too large
            {%s, "inFlightLimit": 0}                             | inFlightLimit       | from 1
            {%s, "inFlightBytes": 0}                             | inFlightBytes       | from 1 to 1073741824
            {%s, "inFlightBytes": 1073741825}                    | inFlightBytes       | from 1 to 1073741824
            {%s, "batchSize": 0}                                 | batchSize           | from 1 to 100000
            {%s, "batchSize": 100001}                            | batchSize           | from 1 to 100000
            {%s, "keepAttempts": "none"}                         | keepAttempts        | give one of failed, all
            {%s, "pollInterval": "1s"}                           | pollInterval        | an object
            {%s, "pollInterval": {"least": "0ms"}}               | pollInterval.least  | at least 1ms
            {%s, "pollInterval": {"most": "2m"}}                 | pollInterval.most   | longer than 1m
            {%s, "pollInterval": {"least": "1s"}}                | pollInterval.most   | is 50ms, sooner than
            {%s, "pollInterval": {"leest": "1s"}}                | pollInterval.leest  | did you mean least?
            {%s, "timeout": "63s"}                               | timeout             | session-ttl of at least 127s
            {%s, "breakerAfter": 0}                              | breakerAfter        | from 1
            {%s, "blockedKeysLimit": 1000001}                    | blockedKeysLimit    | from 1
            {%s, "ratePerSecond": 0}                             | ratePerSecond       | from 0.01
            {%s, "ratePerSecond": "fast"}                        | ratePerSecond       | a number
            {%s, "ordering": "total"}                            | ordering            | give one of key, none
            {%s, "ordering": "none", "afterDeadLetter": "hold"}  | afterDeadLetter     | but ordering is none
            {%s, "afterDeadLetter": "CONTINUE"}                  | afterDeadLetter     | give one of continue, hold
            {%s, "whenUnavailable": 1}                           | whenUnavailable     | give one of wait, count
            {%s, "start": "yesterday"}                           | start               | must be "now", "beginning" or a time
            {%s, "start": 5}                                     | start               | a text
            {%s, "retry": {"delays": []}}                        | retry.delays        | give 1 to 100
            {%s, "retry": {"delays": ["30s", "x"]}}              | retry.delays[1]     | is not a duration
            {%s, "retry": {"delays": ["31d"]}}                   | retry.delays[0]     | longer than 30d
            {%s, "retry": {"maxAttempts": 0}}                    | retry.maxAttempts   | at least 1
            {%s, "retry": {"maxAttempts": "many"}}               | retry.maxAttempts   | "unlimited"
            {%s, "retry": {"attempts": 3}}                       | retry.attempts      | did you mean maxAttempts?
            {%s, "filter": {"types": "a"}}                       | filter.types        | an array
            {%s, "filter": {"types": [null]}}                    | filter.types[0]     | is null
            {%s, "filter": {"types": [""]}}                      | filter.types[0]     | 1 to 255
            {%s, "filter": {"headers": {"a": null}}}             | filter.headers.a    | is null
            {%s, "filter": {"headers": {"a": 5}}}                | filter.headers.a    | a text
            {%s, "description": 5}                               | description         | a text
            {%s, "description": "\\u0000"}                       | description         | not Unicode text
            {%s, "description": "\\ud800"}                       | description         | not Unicode text
            """)
    void whatIsWrongIsNamedWithTheRemedy(String body, String field, String rule) {
        refused(body.replace("%s", SINK), field, rule);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            "auth": {"kind": "magic"}                            | sink.auth.kind      | give one of none, basic, bearer, api-key, oauth2, jwt
            "auth": {"kind": "basic", "username": "a"}           | sink.auth.password  | is missing
            "auth": {"kind": "bearer", "token": "a b"}           | sink.auth           | the bearer token
            "auth": {"kind": "bearer", "token": "********"}      | sink.auth.token     | none is stored here
            "auth": {"kind": "api-key", "header": "Host", "value": "x"}        | sink.auth        | Host
            "auth": {"kind": "oauth2", "tokenUrl": "http://10.0.0.1/", "clientId": "a", "clientSecret": "b"} | sink.auth | must not send to
            "auth": {"kind": "jwt", "algorithm": "none"}         | sink.auth.algorithm | give one of HS256, RS256, ES256
            "auth": {"kind": "jwt", "algorithm": "HS256", "secret": "short"}   | sink.auth.secret | 32
            "auth": {"kind": "jwt", "algorithm": "RS256", "key": "no PEM"}     | sink.auth.key    | PEM
            "auth": {"kind": "jwt", "algorithm": "HS256", "secret": "0123456789abcdef0123456789abcdef", "lifetime": "1s"} | sink.auth.lifetime | must be
            "auth": {"kind": "jwt", "algorithm": "HS256", "secret": "0123456789abcdef0123456789abcdef", "claims": {"exp": 5}} | sink.auth.claims.exp | lifetime
            "auth": {"kind": "jwt", "algorithm": "HS256", "secret": "0123456789abcdef0123456789abcdef", "claims": {"a": [1]}} | sink.auth.claims.a | must be a text
            "signingSecrets": ["nonsense"]                       | sink.signingSecrets | whsec_
            "headers": {"content-length": "5"}                   | sink.headers.content-length | choose another
            "proxy": "nonsense"                                  | sink.proxy          | https://host
            "concurrency": 0                                     | sink.concurrency    | from 1
            "retryOn": [200]                                     | sink.retryOn        | from 300 to 499
            "keepAnswer": -1                                     | sink.keepAnswer     | from 0
            "form": "xml"                                        | sink.form           | give one of binary, structured, plain
            "tls": {"trustOnly": "no PEM"}                       | sink.tls.trustOnly  | PEM
            "tls": {"clientCertificate": "x"}                    | sink.tls.clientKey  | is missing
            """)
    void whatIsWrongWithAnHttpSinkIsNamedToo(String setting, String field, String rule) {
        refused("{" + SINK.replace("}", ", " + setting + "}") + "}", field, rule);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            "bootstrapServers": "nonsense"                                        | sink.bootstrapServers   | host:port
            "bootstrapServers": "k:9092", "topic": "a b"                          | sink.topic              | a b
            "bootstrapServers": "k:9092", "topicsByType": {"t": "{nobody}"}       | sink.topicsByType.t     | {nobody}
            "bootstrapServers": "k:9092", "settings": {"acks": "0"}               | sink.settings.acks      | leave it out
            "bootstrapServers": "k:9092", "settings": {"batch.size": "large"}     | sink.settings.batch.size | batch.size
            "topic": "x"                                                          | sink.bootstrapServers   | is missing
            """)
    void whatIsWrongWithAKafkaSinkIsNamedToo(String settings, String field, String rule) {
        refused("{\"sink\": {\"kind\": \"kafka\", " + settings + "}}", field, rule);
    }

    private static void refused(String body, String field, String rule) {
        Answer answer = rest.put(BASE + "wrong", body);
        assertThat(answer.status()).as(answer.text()).isEqualTo(400);
        JsonNode violation = answer.json().path("violations").path(0);
        assertThat(violation.path("field").stringValue()).as(answer.text()).isEqualTo(field == null ? "" : field);
        assertThat(violation.path("rule").stringValue()).contains(rule);
    }

    @Test
    void aNameHasARule() {
        for (String name : List.of("-a", "a%20b", "a".repeat(101), "%C3%A4")) {
            Answer answer = rest.put(BASE + name, "{" + SINK + "}");
            assertThat(answer.status()).as(name).isEqualTo(400);
            assertThat(answer.json().path("violations").path(0).path("field").stringValue())
                    .isEqualTo("name");
        }
    }

    @Test
    void theStartCannotBeChanged() {
        rest.put(BASE + "start", "{\"start\": \"beginning\", " + SINK + "}");
        assertThat(rest.put(BASE + "start", "{\"timeout\": \"3s\", " + SINK + "}")
                        .json()
                        .path("start")
                        .stringValue())
                .as("left out, it stays")
                .isEqualTo("beginning");
        Answer refused = rest.put(BASE + "start", "{\"start\": \"now\", " + SINK + "}");
        assertThat(refused.status()).isEqualTo(409);
        assertThat(refused.text()).contains("create it anew");
    }

    @Test
    void aStoredSecretIsKeptWhereItsMaskStands() {
        String document = "{\"timeout\": \"%s\", " + SINK.replace("}", ", \"headers\": {\"x-a\": \"%s\"}}") + "}";
        rest.put(BASE + "masked", document.formatted("1s", "the-first-value"));
        assertThat(rest.put(BASE + "masked", document.formatted("1s", SecretPlaces.MASK))
                        .header("ETag"))
                .isEqualTo("\"1\"");
        assertThat(rest.put(BASE + "masked", document.formatted("2s", SecretPlaces.MASK))
                        .header("ETag"))
                .isEqualTo("\"2\"");
        assertThat(rest.put(BASE + "masked", document.formatted("2s", "the-first-value"))
                        .header("ETag"))
                .as("it was kept over the change")
                .isEqualTo("\"2\"");
        assertThat(rest.put(BASE + "masked", document.formatted("2s", "another-value"))
                        .header("ETag"))
                .isEqualTo("\"3\"");
    }

    @Test
    void aChangeOfTheFilterIsPendingUntilSomebodyServesIt() {
        rest.put(BASE + "pending", "{" + SINK + "}");
        Answer changed = rest.put(BASE + "pending", "{\"filter\": {\"types\": [\"x\"]}, " + SINK + "}");
        assertThat(changed.json().path("state").stringValue()).isEqualTo("pending");
    }
}
