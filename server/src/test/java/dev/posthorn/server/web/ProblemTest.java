package dev.posthorn.server.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.problem.ProblemType;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

class ProblemTest {

    private static TestHub hub;

    @BeforeAll
    static void start() {
        hub = TestHub.start(Map.of("test.trouble", true, "posthorn.limits.body", "10KB"));
    }

    @AfterAll
    static void stop() {
        hub.close();
    }

    @ParameterizedTest
    @EnumSource(ProblemType.class)
    void everyKindOfProblemHasItsBody(ProblemType type) {
        TestClient.Answer answer = hub.rest().get("/v1/test/problem/" + type.name());
        JsonNode problem = problem(answer, type.status());
        assertThat(problem.path("type").asString()).isEqualTo(type.urn());
        assertThat(problem.path("title").asString()).isEqualTo(type.title());
        assertThat(problem.path("detail").asString()).isEqualTo("as you wished");
        assertThat(answer.header("Retry-After")).isEqualTo("2");
        assertThat(answer.header("WWW-Authenticate")).isEqualTo(type == ProblemType.NO_KEY ? "Bearer" : "");
    }

    @Test
    void aProblemIsToldEvenToThoseWhoAcceptNoJson() {
        problem(hub.rest().with("Accept", "text/html").get("/v1/test/bug"), 500);
        problem(hub.rest().with("Accept", "text/html").get("/v1/nowhere"), 404);
        problem(hub.rest().with("Accept", "text/html").get("/v1/keys"), 406);
        problem(hub.rest().with("Accept", "no media type").get("/v1/keys"), 406);
    }

    @Test
    void aBugIsToldWithoutWhatItSaid() {
        String text = hub.rest().get("/v1/test/bug").text();
        assertThat(text).doesNotContain("secret", "dev.posthorn", "Exception", "\tat ");
    }

    @Test
    void unknownPathsAndMethods() {
        assertThat(problem(hub.rest().get("/nowhere"), 404).path("detail").asString())
                .contains("/nowhere");
        problem(hub.rest().get("/error"), 404);
        problem(hub.rest().get("/"), 404);
        TestClient.Answer wrongMethod = hub.rest().call("PATCH", "/v1/keys", new byte[0]);
        problem(wrongMethod, 405);
        assertThat(wrongMethod.header("Allow")).contains("GET").contains("POST");
        problem(hub.rest().call("TRACE", "/v1/keys", null), 405);
    }

    /** Whoever had a key could fill the log with errors of the hub's. */
    @Test
    void aQueryThatIsNoTextIsTheCallersMistake() {
        assertThat(problem(hub.rest().get("/v1/events?type=%ed%a0%80"), 400)
                        .path("detail")
                        .asString())
                .contains("UTF-8");
    }

    @Test
    void unknownMediaTypes() {
        TestClient.Answer answer =
                hub.rest().with("Content-Type", "text/csv").call("POST", "/v1/keys", "a,b".getBytes(UTF_8));
        assertThat(problem(answer, 415).path("detail").asString()).contains("text/csv", "application/json");
        assertThat(answer.header("Accept-Post")).isEqualTo("application/json");
        problem(hub.rest().with("Content-Type", "nonsense").call("POST", "/v1/keys", "{}".getBytes(UTF_8)), 415);
        problem(hub.rest().call("POST", "/v1/keys", "{}".getBytes(UTF_8)), 415);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"name": "a", "colour": 1}                  | colour
            {"name": "a", "sise": 1}                    | sise
            {"name": "a", "size": "great"}              | size
            {"name": "a", "inner": {"size": []}}        | inner.size
            {"name": "a", "more": [{}, {"size": true}]} | more[1].size
            {"name": "a", "name": "b"}                  |
            {"name": "a"                                |
            {"name": "a"} {}                            |
            [                                           |
            nonsense                                    |
            """)
    void aBodyThatCannotBeReadNamesTheField(String body, String field) {
        JsonNode problem = problem(hub.rest().post("/v1/test/things", body), 400);
        assertThat(problem.path("violations").get(0).path("field").asString()).isEqualTo(field == null ? "" : field);
        assertThat(problem.toString()).doesNotContain("dev.posthorn", "jackson", "Exception", "java.");
    }

    @Test
    void theNearestFieldIsNamed() {
        assertThat(hub.rest().post("/v1/test/things", "{\"sise\": 1}").text()).contains("did you mean size?");
    }

    @Test
    void aFieldGivenTwiceIsNamed() {
        assertThat(hub.rest()
                        .post("/v1/test/things", "{\"name\": \"a\", \"name\": \"b\"}")
                        .text())
                .contains("name")
                .contains("more than once");
    }

    @Test
    void aMissingBodyIsSaid() {
        assertThat(problem(hub.rest().post("/v1/test/things", ""), 400)
                        .path("detail")
                        .asString())
                .contains("body is missing");
    }

    @Test
    void parametersAreNamed() {
        assertThat(problem(hub.rest().get("/v1/test/number?number=ten"), 400).toString())
                .contains("\"field\":\"number\"", "'ten' is not a whole number");
        assertThat(problem(hub.rest().get("/v1/test/number"), 400).toString())
                .contains("\"field\":\"number\"", "missing");
        assertThat(problem(hub.rest().get("/v1/test/number?number=1&weight=much"), 400)
                        .toString())
                .contains("\"field\":\"weight\"");
        assertThat(problem(hub.rest().get("/v1/test/header"), 400).toString()).contains("X-Needed");
    }

    @Test
    void unknownQueryParametersAreRefusedWithTheNearest() {
        assertThat(hub.rest()
                        .get("/v1/test/number?number=1&colour=red&weight=2")
                        .status())
                .isEqualTo(200);
        assertThat(problem(hub.rest().get("/v1/test/number?numbre=1"), 400).toString())
                .contains("\"field\":\"numbre\"", "did you mean number?");
        assertThat(problem(hub.rest().get("/v1/keys?limit=1&afer=x"), 400).toString())
                .contains("did you mean after?");
        assertThat(problem(hub.rest().get("/v1/keys?name=x"), 400).toString())
                .as("what a resolver of ours fills is not a parameter")
                .contains("there is no such query parameter");
    }

    @Test
    void tooLargeABodyIsRefusedWhetherItsLengthIsToldOrNot() throws IOException {
        problem(hub.rest().call("POST", "/v1/test/bytes", new byte[10 * 1024 + 1]), 413);
        assertThat(hub.rest()
                        .call("POST", "/v1/test/bytes", new byte[10 * 1024])
                        .status())
                .isEqualTo(200);
        String chunk = "400\r\n" + "x".repeat(1024) + "\r\n";
        String chunked = "POST /v1/test/%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n" + chunk.repeat(11) + "0\r\n\r\n";
        assertRawProblem(RawHttp.say(hub.httpPort(), chunked.formatted("bytes")), 413);
        String inAString = chunked.replaceFirst("400\r\nx{9}", "400\r\n{\"name\":\"");
        assertRawProblem(RawHttp.say(hub.httpPort(), inAString.formatted("things")), 413);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "NONSENSE\r\n\r\n",
                "GET /v1/keys<>\" HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "G{}T /v1/keys HTTP/1.1\r\nHost: localhost\r\n\r\n",
                "GET /v1/keys HTTP/1.1\r\nHost: localhost\r\nBad Header: x\r\nConnection: close\r\n\r\n",
                "GET /v1/keys HTTP/1.1\r\nConnection: close\r\n\r\n",
                "GET /v1/keys HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n",
                "GET /v1/a%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                "GET /v1/keys?limit=%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                "GET /../../etc HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                "GET /v1/keys HTTP/7.0\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                "POST /v1/test/bytes HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gibberish\r\nConnection: close\r\n\r\n",
                "POST /v1/test/bytes HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\nConnection: close\r\n\r\n",
                "POST /v1/test/bytes HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\nzz\r\nabc\r\n0\r\n\r\n"
            })
    void whatTomcatRefusesIsAProblemToo(String request) throws IOException {
        assertRawProblem(RawHttp.say(hub.httpPort(), request), 400);
    }

    @Test
    void tooLargeHeadersAreSaidToBeThat() throws IOException {
        String request = "GET /v1/keys HTTP/1.1\r\nHost: localhost\r\nX-Long: " + "x".repeat(17 * 1024) + "\r\n\r\n";
        assertRawProblem(RawHttp.say(hub.httpPort(), request), 431);
        String fits = "GET /v1/keys HTTP/1.1\r\nHost: localhost\r\nX-Long: " + "x".repeat(15 * 1024)
                + "\r\nConnection: close\r\n\r\n";
        assertThat(RawHttp.say(hub.httpPort(), fits)).startsWith("HTTP/1.1 200");
    }

    @Test
    void actuatorErrorsAreProblems() {
        problem(hub.rest().get("/actuator/env"), 404);
        problem(hub.rest().post("/actuator/prometheus", "{}"), 405);
        problem(hub.rest().with("Accept", "image/png").get("/actuator/prometheus"), 406);
    }

    @Test
    void theRequestIdIsTheCallersIfItIsSane() {
        TestClient.Answer sane = hub.rest().with("X-Request-Id", "call-7.a:b").get("/v1/nowhere");
        assertThat(sane.header("X-Request-Id")).isEqualTo("call-7.a:b");
        assertThat(sane.json().path("requestId").asString()).isEqualTo("call-7.a:b");
        TestClient.Answer hostile =
                hub.rest().with("X-Request-Id", "a b<script>").get("/v1/nowhere");
        assertThat(hostile.header("X-Request-Id")).hasSize(36).doesNotContain("<");
        assertThat(hub.rest().get("/actuator/health").header("X-Request-Id")).hasSize(36);
    }

    @Test
    void aWrongPathIsNoMatterForTheLog() {
        assertThat(LoggerFactory.getLogger("org.springframework.web.servlet.PageNotFound")
                        .isWarnEnabled())
                .isFalse();
    }

    @Test
    void aCallWithoutRolesIsClosed() {
        problem(hub.rest().get("/v1/test/nobody"), 500);
    }

    private static JsonNode problem(TestClient.Answer answer, int status) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(answer.header("Server")).isEmpty();
        assertThat(answer.header("X-Powered-By")).isEmpty();
        JsonNode problem = answer.json();
        assertThat(problem.path("status").asInt()).isEqualTo(status);
        assertThat(problem.path("type").asString()).startsWith("urn:posthorn:problem:");
        assertThat(problem.path("instance").asString())
                .isEqualTo(answer.response().uri().getRawPath());
        assertThat(problem.path("requestId").asString()).isEqualTo(answer.header("X-Request-Id"));
        return problem;
    }

    private static void assertRawProblem(String answer, int status) {
        assertThat(answer)
                .startsWith("HTTP/1.1 " + status)
                .containsIgnoringCase("Content-Type: application/problem+json")
                .contains("\"status\":" + status, "\"requestId\":\"")
                .doesNotContainIgnoringCase("Tomcat")
                .doesNotContainIgnoringCase("\r\nServer:")
                .doesNotContain("<html", "java.", "org.apache");
    }
}
