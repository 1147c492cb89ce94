package dev.posthorn.mutants;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles the classes that a mutant changes, against the real ones. */
final class MutantCompiler {

    private final Checkout checkout;
    private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();

    MutantCompiler(Checkout checkout) {
        this.checkout = checkout;
    }

    /** Leaves the changed sources and their classes in the directory; returns where the classes are. */
    Path compile(Mutant mutant, Path directory) throws IOException {
        List<Path> sources = new ArrayList<>();
        for (Change change : mutant.changes()) {
            Path copy = directory.resolve("sources").resolve(change.className().replace('.', '/') + ".java");
            Files.createDirectories(copy.getParent());
            Files.writeString(copy, changed(mutant, change));
            sources.add(copy);
        }
        Path classes = Files.createDirectories(directory.resolve("classes"));
        StringWriter said = new StringWriter();
        String classPath = checkout.mutatedClasses() + File.pathSeparator + System.getProperty("java.class.path");
        List<String> options = List.of("-d", classes.toString(), "-proc:none", "-nowarn", "-classpath", classPath);
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            if (!compiler.getTask(said, files, null, options, null, files.getJavaFileObjectsFromPaths(sources))
                    .call()) {
                throw new IllegalStateException("mutant " + mutant.name() + " does not compile:\n" + said);
            }
        }
        return classes;
    }

    private String changed(Mutant mutant, Change change) throws IOException {
        try {
            return change.applyTo(Files.readString(checkout.source(change.className())));
        } catch (IllegalStateException e) {
            throw new IllegalStateException(
                    "mutant " + mutant.name() + " does not apply to " + change.className() + ": " + e.getMessage(), e);
        }
    }
}
