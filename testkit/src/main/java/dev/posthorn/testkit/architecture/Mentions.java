package dev.posthorn.testkit.architecture;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Who names what, by the text of the sources: the modules that a module looks at are compiled after it. */
public final class Mentions {

    private static final Set<String> NO_SOURCES = Set.of(".git", "node_modules", "target");

    private Mentions() {}

    /**
     * Each as the file's name and what it names there.
     *
     * @param where matches the paths, below the folder, of the files to be read
     */
    public static List<String> of(Pattern what, Path folder, String where) throws IOException {
        Pattern files = Pattern.compile(where);
        List<String> found = new ArrayList<>();
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path each, BasicFileAttributes attributes) {
                return NO_SOURCES.contains(String.valueOf(each.getFileName()))
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (files.matcher(folder.relativize(file).toString()).matches()) {
                    what.matcher(Files.readString(file))
                            .results()
                            .forEach(used -> found.add(file.getFileName() + ": " + used.group()));
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return found;
    }
}
