package dev.posthorn.demo;

import dev.posthorn.Outbox;
import dev.posthorn.kafka.KafkaSink;
import dev.posthorn.spring.OutboxEvent;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * A local repository as {@code mvn install} leaves it, without touching the user's own: that one is linked, part by part, and
 * Posthorn's modules stand beside as they were just built.
 */
record TrialRepository(Path directory) implements AutoCloseable {

    private static final String VERSION = "0.1.0-SNAPSHOT";

    /** By the folder of the module: a class of each tells where it was built. */
    private static final Map<String, Class<?>> MODULES =
            Map.of("core", Outbox.class, "kafka", KafkaSink.class, "spring-boot-starter", OutboxEvent.class);

    private static final Map<String, String> ARTIFACTS = Map.of(
            "core", "posthorn", "kafka", "posthorn-kafka", "spring-boot-starter", "posthorn-spring-boot-starter");

    static TrialRepository beside(Path directory, Path root) throws IOException, URISyntaxException {
        Path users = users();
        Path ours = Files.createDirectories(directory.resolve("dev/posthorn"));
        link(users, directory);
        link(users.resolve("dev"), directory.resolve("dev"));
        Files.copy(root.resolve("pom.xml"), place(ours, "posthorn-parent", "pom"));
        for (Map.Entry<String, Class<?>> module : MODULES.entrySet()) {
            String artifact = ARTIFACTS.get(module.getKey());
            Files.copy(root.resolve(module.getKey()).resolve("pom.xml"), place(ours, artifact, "pom"));
            putJar(module.getValue(), place(ours, artifact, "jar"));
        }
        return new TrialRepository(directory);
    }

    /** Where the Maven that runs this test has its artifacts. */
    private static Path users() {
        String told = System.getProperty("localRepository", System.getProperty("maven.repo.local"));
        return told == null ? Path.of(System.getProperty("user.home"), ".m2", "repository") : Path.of(told);
    }

    private static void link(Path from, Path to) throws IOException {
        if (!Files.exists(from)) {
            return;
        }
        for (Path each : list(from)) {
            Path link = to.resolve(each.getFileName());
            if (!Files.exists(link)) {
                Files.createSymbolicLink(link, each.toRealPath());
            }
        }
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.toList();
        }
    }

    private static Path place(Path ours, String artifact, String extension) throws IOException {
        Path folder = Files.createDirectories(ours.resolve(artifact).resolve(VERSION));
        return folder.resolve(artifact + "-" + VERSION + "." + extension);
    }

    private static void putJar(Class<?> of, Path jar) throws IOException, URISyntaxException {
        Path built =
                Path.of(of.getProtectionDomain().getCodeSource().getLocation().toURI());
        if (Files.isRegularFile(built)) {
            Files.copy(built, jar);
            return;
        }
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(out);
                Stream<Path> files = Files.walk(built)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                entries.putNextEntry(new JarEntry(built.relativize(file).toString()));
                Files.copy(file, entries);
            }
        }
    }

    /** Takes the links away, and nothing that they lead to. */
    @Override
    public void close() throws IOException {
        for (Path folder : List.of(directory.resolve("dev"), directory)) {
            for (Path each : list(folder)) {
                if (Files.isSymbolicLink(each)) {
                    Files.delete(each);
                }
            }
        }
    }
}
