package dev.posthorn.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.posthorn.embedded.kafka.EmbeddedKafka;
import dev.posthorn.embedded.postgres.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application outside of the sources, made of nothing but what README tells to paste under "Spring Boot". */
@Tag("slow")
class ReadmeTest {

    private static final Path ROOT = Path.of("..", "..");

    /** What README takes for granted: a Spring Boot application. Plugins are those that built Posthorn, so they are there. */
    private static final String POM = """
            <project xmlns="http://maven.apache.org/POM/4.0.0">
              <modelVersion>4.0.0</modelVersion>
              <groupId>shop</groupId>
              <artifactId>shop</artifactId>
              <version>1</version>
              <properties>
                <maven.compiler.release>17</maven.compiler.release>
                <maven.compiler.parameters>true</maven.compiler.parameters>
                <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
              </properties>
              <dependencyManagement>
                <dependencies>
                  <dependency>
                    <groupId>org.springframework.boot</groupId>
                    <artifactId>spring-boot-dependencies</artifactId>
                    <version>%s</version>
                    <type>pom</type>
                    <scope>import</scope>
                  </dependency>
                </dependencies>
              </dependencyManagement>
              <dependencies>
                %s
              </dependencies>
              <build>
                <plugins>
                  <plugin><artifactId>maven-resources-plugin</artifactId><version>%s</version></plugin>
                  <plugin><artifactId>maven-compiler-plugin</artifactId><version>%s</version></plugin>
                </plugins>
              </build>
            </project>
            """;

    @TempDir
    private Path temporary;

    @Test
    void theApplicationOfTheReadmeGetsItsEventToItsListener() throws Exception {
        String section = section(Files.readString(ROOT.resolve("README.md"), UTF_8), "## Spring Boot");
        try (EmbeddedPostgres postgres = EmbeddedPostgres.temporary();
                EmbeddedKafka kafka = EmbeddedKafka.temporary();
                TrialRepository repository = TrialRepository.beside(temporary.resolve("repository"), ROOT)) {
            Path application = write(section, settings(section, TrialDatabase.in(postgres), kafka));
            compile(application, repository);
            assertBooks(application);
        }
    }

    /** README's are those that {@code posthorn infra} prints if nobody chooses other ports. */
    private static String settings(String section, TrialDatabase database, EmbeddedKafka kafka) {
        String printed = new TrialDatabase(5432).jdbcUrl();
        String settings = block(section, "yaml");
        assertThat(settings).contains(printed).contains("localhost:9092");
        return settings.replace(printed, database.jdbcUrl()).replace("localhost:9092", "localhost:" + kafka.port());
    }

    private Path write(String section, String settings) throws IOException {
        Path application = Files.createDirectory(temporary.resolve("application"));
        String pom = Files.readString(ROOT.resolve("pom.xml"), UTF_8);
        Files.writeString(
                application.resolve("pom.xml"),
                POM.formatted(
                        found("<spring-boot.version>(.*?)<", pom),
                        block(section, "xml"),
                        plugin("maven-resources-plugin", pom),
                        plugin("maven-compiler-plugin", pom)));
        Path resources = Files.createDirectories(application.resolve("src/main/resources"));
        Files.writeString(resources.resolve("application.yaml"), settings);
        Path sources = Files.createDirectories(application.resolve("src/main/java/shop"));
        Files.writeString(sources.resolve("Shop.java"), block(section, "java"));
        return application;
    }

    private static void compile(Path application, TrialRepository repository) throws Exception {
        String pom = Files.readString(ROOT.resolve("pom.xml"), UTF_8);
        run(
                application,
                List.of(
                        "mvn",
                        "-B",
                        "-q",
                        "-Dmaven.repo.local=" + repository.directory(),
                        "compile",
                        "org.apache.maven.plugins:maven-dependency-plugin:" + plugin("maven-dependency-plugin", pom)
                                + ":build-classpath",
                        "-Dmdep.outputFile=target/classpath",
                        "-Dmdep.includeScope=runtime"));
    }

    private static void assertBooks(Path application) throws Exception {
        Path output = application.resolve("output");
        Process shop = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        "target/classes" + File.pathSeparator
                                + Files.readString(application.resolve("target/classpath"), UTF_8),
                        "shop.Shop")
                .directory(application.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            await().atMost(240, SECONDS)
                    .untilAsserted(() -> assertThat(Files.readString(output, UTF_8))
                            .contains("booked OrderPlaced[orderId=4711, total=12]"));
            assertThat(shop.isAlive()).isTrue();
        } finally {
            shop.destroyForcibly().waitFor();
        }
    }

    private static void run(Path directory, List<String> command) throws Exception {
        Path output = directory.resolve("maven.log");
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        boolean ended = process.waitFor(600, SECONDS);
        process.destroyForcibly();
        assertThat(ended && process.exitValue() == 0)
                .as(Files.readString(output, UTF_8))
                .isTrue();
    }

    private static String section(String readme, String title) {
        int begin = readme.indexOf(title + "\n");
        assertThat(begin).as(title).isNotNegative();
        return readme.substring(begin, readme.indexOf("\n## ", begin + 1));
    }

    private static String block(String section, String language) {
        return found("```" + language + "\n(.*?)```", section);
    }

    private static String plugin(String name, String pom) {
        return found("<artifactId>" + name + "</artifactId>\\s*<version>(.*?)<", pom);
    }

    private static String found(String pattern, String text) {
        Matcher matcher = Pattern.compile(pattern, Pattern.DOTALL).matcher(text);
        assertThat(matcher.find()).as(pattern).isTrue();
        return matcher.group(1);
    }
}
