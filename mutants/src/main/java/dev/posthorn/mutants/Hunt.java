package dev.posthorn.mutants;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Runs the tests that have to notice a mutant, with it, in processes of their own, two at a time. A test notices by
 * an assertion that fails: one that hangs, or is not run at all, does not.
 */
public final class Hunt implements AutoCloseable {

    /** What became of one mutant, or why it could not be tried. */
    public record Prey(String name, Future<String> caught) {}

    private static final int AT_A_TIME = 2;

    private final Checkout checkout = Checkout.find();
    private final MutantCompiler compiler = new MutantCompiler(checkout);
    private final ExecutorService pool = Executors.newFixedThreadPool(AT_A_TIME);
    private final Path directory;
    private final List<String> modules;
    private final List<String> jvmArguments;
    private final Duration atMost;

    /**
     * @param modules whose tests are to be run
     * @param atMost for the tests of one mutant
     */
    public Hunt(List<String> modules, List<String> jvmArguments, Duration atMost) {
        this.directory = Path.of("target", "mutants").toAbsolutePath();
        this.modules = List.copyOf(modules);
        this.jvmArguments = List.copyOf(jvmArguments);
        this.atMost = atMost;
    }

    /** All mutants that tests of these modules notice. Each is tried in the background. */
    public List<Prey> begin() throws IOException {
        List<Prey> all = new ArrayList<>();
        for (Mutant mutant : mutants()) {
            List<Noticer> noticers = noticers(Stream.of(mutant));
            if (!noticers.isEmpty()) {
                all.add(new Prey(mutant.name(), pool.submit(() -> hunt(mutant, noticers))));
            }
        }
        if (all.isEmpty()) {
            throw new IllegalArgumentException(
                    "no test of " + modules + " is to notice it; MutantsTest runs the tests of"
                            + " core and simulation, FaultMutantsTest those of faults");
        }
        return all;
    }

    /** The tests of the modules that take no properties, without any mutant: they have to pass here as elsewhere. */
    public Future<String> beginWithoutMutant() throws IOException {
        List<Noticer> plain = noticers(mutants().stream()).stream()
                .filter(noticer -> noticer.properties().isEmpty())
                .distinct()
                .toList();
        return pool.submit(() -> {
            Map<Noticer, String> verdicts = run("none", List.of(), plain);
            require(verdicts, said -> said.equals(TestRun.Verdict.PASSED.name()), "did not pass without any mutant");
            return "without a mutant " + plain.size() + " tests pass";
        });
    }

    /** All, or the one that {@code -Dposthorn.mutant} names. */
    private List<Mutant> mutants() throws IOException {
        String only = System.getProperty("posthorn.mutant");
        List<Mutant> wanted = checkout.mutants().stream()
                .filter(mutant -> only == null || mutant.name().equals(only))
                .toList();
        if (wanted.isEmpty()) {
            throw new IllegalArgumentException("there is no mutant " + only);
        }
        return wanted;
    }

    private List<Noticer> noticers(Stream<Mutant> mutants) {
        return mutants.flatMap(mutant -> mutant.noticers().stream())
                .filter(noticer -> modules.contains(checkout.moduleOf(noticer)))
                .toList();
    }

    private String hunt(Mutant mutant, List<Noticer> noticers) throws IOException, InterruptedException {
        long started = System.nanoTime();
        Path changed = compiler.compile(mutant, fresh(mutant.name()));
        Map<Noticer, String> verdicts = run(mutant.name(), List.of(changed), noticers);
        String broken = TestRun.Verdict.BROKEN.name();
        if (verdicts.values().stream().anyMatch(said -> said.startsWith(broken))) {
            // It says nothing about the rule: the machine may have been too busy for the test to come so far.
            verdicts = run(mutant.name(), List.of(changed), noticers);
        }
        require(
                verdicts,
                said -> said.startsWith(TestRun.Verdict.FAILED.name()),
                "did not notice mutant " + mutant.name() + " (" + mutant.rule() + ")");
        String by = String.join(", ", noticers.stream().map(Noticer::toString).toList());
        return "%s is caught by %s, %.1f s".formatted(mutant.name(), by, (System.nanoTime() - started) / 1e9);
    }

    private static void require(Map<Noticer, String> verdicts, Predicate<String> good, String otherwise) {
        verdicts.forEach((noticer, said) -> {
            if (!good.test(said)) {
                throw new IllegalStateException(noticer + " " + otherwise + ": " + said);
            }
        });
    }

    /** The tests of each module have a process of their own, for they share no more than that in the build either. */
    private Map<Noticer, String> run(String name, List<Path> changed, List<Noticer> noticers)
            throws IOException, InterruptedException {
        Map<Noticer, String> verdicts = new LinkedHashMap<>();
        for (String module : modules) {
            List<Noticer> ofModule = noticers.stream()
                    .filter(noticer -> checkout.moduleOf(noticer).equals(module))
                    .toList();
            if (!ofModule.isEmpty()) {
                List<String> lines = fork(directory.resolve(name), module, changed, ofModule);
                for (int i = 0; i < ofModule.size(); i++) {
                    verdicts.put(ofModule.get(i), lines.get(i));
                }
            }
        }
        return verdicts;
    }

    private List<String> fork(Path place, String module, List<Path> changed, List<Noticer> noticers)
            throws IOException, InterruptedException {
        Path report = place.resolve(module + ".report");
        Path log = Files.createDirectories(place).resolve(module + ".log");
        Files.deleteIfExists(report);
        Process process = new ProcessBuilder(command(module, changed, report, noticers))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            if (!process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("not done after " + atMost.toSeconds() + " s; see " + log);
            }
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        if (!Files.exists(report)) {
            throw new IllegalStateException("ended with " + process.exitValue() + " and no report; see " + log);
        }
        return Files.readAllLines(report);
    }

    private List<String> command(String module, List<Path> changed, Path report, List<Noticer> noticers) {
        List<String> classPath = new ArrayList<>();
        changed.forEach(path -> classPath.add(path.toString()));
        classPath.add(checkout.testClasses(module).toString());
        classPath.add(System.getProperty("java.class.path"));
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx1g"));
        command.addAll(jvmArguments);
        noticers.forEach(noticer -> noticer.properties().forEach(property -> command.add("-D" + property)));
        command.addAll(List.of("-classpath", String.join(File.pathSeparator, classPath)));
        command.addAll(List.of(TestRun.class.getName(), report.toString()));
        noticers.forEach(noticer -> command.add(noticer.test()));
        return command;
    }

    private Path fresh(String name) throws IOException {
        Path fresh = directory.resolve(name);
        if (Files.exists(fresh)) {
            try (var files = Files.walk(fresh)) {
                files.sorted(Comparator.reverseOrder()).forEach(Hunt::delete);
            }
        }
        return Files.createDirectories(fresh);
    }

    private static void delete(Path path) {
        try {
            Files.delete(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        pool.shutdownNow();
    }
}
