package dev.posthorn.http;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.codeUnits;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.posthorn.testkit.architecture.Mentions;
import dev.posthorn.testkit.architecture.ModuleArchitecture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rooms of the HTTP sink, and for each rule something wrong that it catches. */
class ArchitectureTest extends ModuleArchitecture {

    private static final String ROOT = "dev.posthorn.http";
    private static final String FIXTURES = ROOT + ".fixtures";

    /** Whatever stands below the sink's package, and another module that moves in. */
    private static final Pattern ROOM =
            Pattern.compile("package dev\\.posthorn\\.http\\b|dev\\.posthorn\\.http(\\.[a-z]\\w*)+(\\.[A-Z*]\\w*)?");

    private static final String OF_OTHERS = "(?!sinks/http/)([^/]+/){1,2}src/.*\\.java";
    private static final Set<String> OPEN = Set.of(ROOT + ".address.AddressLiteral", ROOT + ".address.Network");

    @Test
    void roomsKnowOnlyThoseBelowThem() {
        roomOrder(ROOT).check(main);
    }

    @Test
    void usersAreShownNoRoom() {
        closedDoors(ROOT).check(main);
    }

    @Test
    void otherModulesUseOnlyWhatIsForUsers() throws IOException {
        assertThat(intruders(Path.of("../.."))).isEmpty();
    }

    @Test
    void anArrowUpwardsIsSeen() {
        assertThat(failures(roomOrder(FIXTURES))).contains("address.AddressThatKnowsAToken");
    }

    @Test
    void aClassWithoutARoomIsSeen() {
        assertThat(failures(roomOrder(FIXTURES))).contains("attic.ClassWithoutARoom");
    }

    @Test
    void anOpenDoorIsSeen() {
        assertThat(failures(closedDoors(FIXTURES))).contains("SettingThatShowsARoom.address()");
    }

    @Test
    void anIntruderIsSeen(@TempDir Path project) throws IOException {
        write(project.resolve("server/src/main/java/Open.java"), "import dev.posthorn.http.address.Network;");
        write(project.resolve("server/src/main/java/User.java"), "import dev.posthorn.http.HttpSink;");
        write(project.resolve("sinks/http/src/main/java/Own.java"), "import dev.posthorn.http.auth.Credentials;");
        assertThat(intruders(project)).isEmpty();

        write(project.resolve("server/src/main/java/One.java"), "import dev.posthorn.http.auth.Credentials;");
        write(project.resolve("sinks/other/src/test/java/Two.java"), "import dev.posthorn.http.address.*;");
        write(project.resolve("faults/src/main/java/Three.java"), "package dev.posthorn.http;");
        assertThat(intruders(project))
                .containsExactlyInAnyOrder(
                        "One.java: dev.posthorn.http.auth.Credentials",
                        "Two.java: dev.posthorn.http.address.*",
                        "Three.java: package dev.posthorn.http");
    }

    private static void write(Path file, String line) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, line + "\n");
    }

    /** text ← address, tls ← auth ← client ← (root); whoever adds a room gives it a place here. */
    private static ArchRule roomOrder(String root) {
        return layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .withOptionalLayers(true)
                .layer("text")
                .definedBy(root + ".text")
                .layer("address")
                .definedBy(root + ".address")
                .layer("tls")
                .definedBy(root + ".tls")
                .layer("auth")
                .definedBy(root + ".auth")
                .layer("client")
                .definedBy(root + ".client")
                .layer("root")
                .definedBy(root)
                .whereLayer("text")
                .mayNotAccessAnyLayer()
                .whereLayer("address")
                .mayOnlyAccessLayers("text")
                .whereLayer("tls")
                .mayOnlyAccessLayers("text")
                .whereLayer("auth")
                .mayOnlyAccessLayers("text", "address", "tls")
                .whereLayer("client")
                .mayOnlyAccessLayers("address", "auth")
                .ensureAllClassesAreContainedInArchitecture();
    }

    /** What users can call neither takes nor gives anything of a room. */
    private static ArchRule closedDoors(String root) {
        return codeUnits()
                .that()
                .arePublic()
                .and()
                .areDeclaredInClassesThat()
                .resideInAPackage(root)
                .and()
                .areDeclaredInClassesThat()
                .arePublic()
                .should(new ArchCondition<JavaCodeUnit>("show no room") {
                    @Override
                    public void check(JavaCodeUnit unit, ConditionEvents events) {
                        if (Stream.concat(unit.getRawParameterTypes().stream(), Stream.of(unit.getRawReturnType()))
                                .anyMatch(type -> type.getPackageName().startsWith(root + "."))) {
                            events.add(SimpleConditionEvent.violated(unit, unit.getFullName()));
                        }
                    }
                });
    }

    private static Stream<String> intruders(Path project) throws IOException {
        return Mentions.of(ROOM, project, OF_OTHERS).stream()
                .filter(each -> OPEN.stream().noneMatch(open -> each.endsWith(": " + open)));
    }

    private String failures(ArchRule rule) {
        return rule.evaluate(fixtures).getFailureReport().toString();
    }
}
