package dev.posthorn.server.console;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.server.TestClient;
import dev.posthorn.server.TestHub;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** With a console of two files, that stands where the real one does. */
class ConsoleFilesTest {

    private static final String ASSET = "/console/assets/test-12345678.js";

    private static TestHub hub;
    private static TestClient anybody;

    @BeforeAll
    static void start() {
        hub = TestHub.start(Map.of(
                "posthorn.access.admin-key", "admin-key-of-the-settings", "posthorn.limits.requests-per-second", 1));
        anybody = hub.rest();
    }

    @AfterAll
    static void stop() {
        hub.close();
    }

    @Test
    void aBrowserIsSentToTheConsoleAndAProgramIsNot() {
        TestClient.Answer browser = anybody.with("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
                .get("/");
        assertThat(browser.status()).isEqualTo(302);
        assertThat(browser.header("Location")).isEqualTo("/console/");
        assertThat(anybody.get("/console").header("Location")).isEqualTo("/console/");
        TestClient.Answer program = anybody.get("/");
        assertThat(program.status()).isEqualTo(404);
        assertThat(program.header("Content-Type")).isEqualTo("application/problem+json");
    }

    @Test
    void everyPageOfTheConsoleIsItsIndexWithAStrictPolicyAndIsAskedForEachTime() {
        for (String path :
                List.of("/console/", "/console/index.html", "/console/subscriptions/a%2Fb", "/console/x/y/")) {
            TestClient.Answer page = anybody.get(path);
            assertThat(page.status()).as(path).isEqualTo(200);
            assertThat(page.header("Content-Type")).isEqualTo("text/html;charset=UTF-8");
            assertThat(page.text()).contains("A console for tests");
            assertThat(page.header("Cache-Control")).isEqualTo("no-cache");
            assertThat(page.header("Content-Security-Policy"))
                    .isEqualTo("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
                            + " connect-src 'self'; font-src 'self'; form-action 'none'; frame-ancestors 'none';"
                            + " base-uri 'none'");
            assertThat(page.header("X-Content-Type-Options")).isEqualTo("nosniff");
            assertThat(page.header("Referrer-Policy")).isEqualTo("no-referrer");
        }
    }

    /** Subscriptions and types have dots in their names. */
    @Test
    void aPageWhoseNameHasADotIsAPageForABrowserThatGoesThere() {
        TestClient browser = anybody.with("Accept", "text/html,*/*;q=0.8");
        assertThat(browser.get("/console/subscriptions/order.js").text()).contains("A console for tests");
        assertThat(anybody.get("/console/subscriptions/order.js").status()).isEqualTo(404);
        assertThat(browser.get("/console/assets/gone-12345678.js").status()).isEqualTo(404);
    }

    @Test
    void whatIsNamedByItsContentIsKeptForEverAndZippedForThoseWhoCan() throws IOException {
        TestClient.Answer plain = anybody.get(ASSET);
        assertThat(plain.header("Content-Type")).isEqualTo("text/javascript;charset=UTF-8");
        assertThat(plain.header("Cache-Control")).isEqualTo("public, max-age=31536000, immutable");
        assertThat(plain.header("Content-Encoding")).isEmpty();
        assertThat(plain.header("Vary")).isEqualTo("Accept-Encoding");
        TestClient.Answer zipped =
                anybody.with("Accept-Encoding", "br, gzip;q=0.8").get(ASSET);
        assertThat(zipped.header("Content-Encoding")).isEqualTo("gzip");
        assertThat(zipped.response().body().length).isLessThan(plain.response().body().length);
        byte[] unzipped =
                new GZIPInputStream(new ByteArrayInputStream(zipped.response().body())).readAllBytes();
        assertThat(new String(unzipped, UTF_8)).isEqualTo(plain.text());
        assertThat(anybody.with("Accept-Encoding", "gzip;q=0").get(ASSET).header("Content-Encoding"))
                .isEmpty();
    }

    @Test
    void nothingElseIsServed() {
        for (String path : List.of(
                "/console/assets/none.js",
                "/console/package.json",
                "/console/assets/..%2Findex.html",
                "/console/%2e%2e/%2e%2e/posthorn.yaml",
                "/console/posthorn.yaml",
                "/console/a.class")) {
            assertThat(anybody.get(path).status()).as(path).isIn(400, 404);
        }
        TestClient.Answer post = anybody.post("/console/");
        assertThat(post.status()).isEqualTo(405);
        assertThat(post.header("Allow")).isEqualTo("GET, HEAD");
        assertThat(anybody.call("HEAD", "/console/", null).status()).isEqualTo(200);
    }

    /** The files are no calls of the API: a page loads a dozen of them at once, and then the limit is there for its calls. */
    @Test
    void filesDoNotCountAsRequestsAndCallsDo() {
        TestClient admin = anybody.with("Authorization", "Bearer admin-key-of-the-settings");
        for (int i = 0; i < 20; i++) {
            assertThat(anybody.get(ASSET).status()).isEqualTo(200);
        }
        List<Integer> calls = IntStream.range(0, 20)
                .mapToObj(i -> admin.get("/v1/me").status())
                .toList();
        assertThat(calls).contains(429);
    }
}
