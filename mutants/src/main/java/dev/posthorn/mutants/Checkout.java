package dev.posthorn.mutants;

import static java.util.stream.Collectors.joining;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** The sources that this program was built from, and where their tests were compiled to. */
final class Checkout {

    private static final List<String> MUTATED = List.of("core", "simulation");
    private static final List<String> TESTED = List.of("core", "simulation", "faults");
    private static final Path MUTANTS = Path.of("mutants", "src", "main", "mutants");

    private final Path root;

    private Checkout(Path root) {
        this.root = root;
    }

    /** Maven runs the tests of a module in its directory. */
    static Checkout find() {
        Path here = Path.of("").toAbsolutePath();
        while (here != null && !Files.isDirectory(here.resolve(MUTANTS))) {
            here = here.getParent();
        }
        return new Checkout(Objects.requireNonNull(here, "not inside the sources of Posthorn"));
    }

    List<Mutant> mutants() throws IOException {
        return Mutant.readAll(root.resolve(MUTANTS));
    }

    /** The source of a class of the modules that have mutants. */
    Path source(String className) {
        String file = className.replace('.', '/') + ".java";
        List<Path> found = MUTATED.stream()
                .map(module -> root.resolve(module).resolve("src/main/java").resolve(file))
                .filter(Files::exists)
                .toList();
        if (found.size() != 1) {
            throw new IllegalStateException(
                    "the class " + className + " is in " + found.size() + " of the modules " + MUTATED);
        }
        return found.get(0);
    }

    /** The module whose test the class is. */
    String moduleOf(Noticer noticer) {
        String file = noticer.className().replace('.', '/') + ".java";
        List<String> found = TESTED.stream()
                .filter(module -> Files.exists(
                        root.resolve(module).resolve("src/test/java").resolve(file)))
                .toList();
        if (found.size() != 1) {
            throw new IllegalStateException(
                    "the test " + noticer.className() + " is in " + found.size() + " of the modules " + TESTED);
        }
        return found.get(0);
    }

    /** The classes of all modules that have mutants: of a mutant of several, all of it is compiled. */
    String mutatedClasses() {
        return MUTATED.stream()
                .map(module -> root.resolve(module).resolve("target").resolve("classes"))
                .map(Path::toString)
                .collect(joining(File.pathSeparator));
    }

    Path testClasses(String module) {
        return root.resolve(module).resolve("target").resolve("test-classes");
    }
}
