package dev.posthorn.server.console;

import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.web.ProblemWriter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.web.HttpRequestHandler;

/**
 * Serves the console under {@code /console/}: the same files to everybody, without a key, since there is nothing in them that
 * is not in the repository. What the console shows it asks of the API, with the key of whoever sits before it.
 */
final class ConsoleFiles implements HttpRequestHandler {

    /** Where the module of the console has its files. */
    static final String FOLDER = "META-INF/posthorn/console/";

    private static final String ROOT = "/console/";
    private static final String INDEX = "index.html";

    /** Names that say which content they have; Vite writes them. */
    private static final String HASHED = "assets/";

    /** No way out of the folder, and no name that means two things. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*");

    /** Nothing from elsewhere, nothing inline, and nobody may put it into a frame. */
    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
                    + " font-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'";

    private final ProblemWriter problems;
    private final String folder;
    private final Map<String, ConsoleFile> files = new ConcurrentHashMap<>();

    ConsoleFiles(ProblemWriter problems, String folder) {
        this.problems = problems;
        this.folder = folder;
    }

    @Override
    public void handleRequest(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (!request.getMethod().equals("GET") && !request.getMethod().equals("HEAD")) {
            response.setHeader(HttpHeaders.ALLOW, "GET, HEAD");
            problems.write(
                    request,
                    response,
                    Problem.of(ProblemType.METHOD_NOT_ALLOWED, "the console's files can only be read"));
            return;
        }
        setHeaders(response);
        String path = request.getServletPath();
        if (path.equals("/")) {
            root(request, response);
        } else if (path.length() < ROOT.length()) {
            goThere(response);
        } else {
            serve(path.substring(ROOT.length()), request, response);
        }
    }

    private static void setHeaders(HttpServletResponse response) {
        response.setHeader("Content-Security-Policy", POLICY);
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("Referrer-Policy", "no-referrer");
        response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
        response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
    }

    /** A browser is shown the console; a program has asked for nothing that there is. */
    private void root(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (isBrowsing(request)) {
            goThere(response);
        } else {
            problems.write(
                    request,
                    response,
                    Problem.of(
                            ProblemType.NOT_FOUND,
                            "there is nothing at /; the API begins at /v1 and is described in /v1/openapi.yaml, the console is"
                                    + " at " + ROOT));
        }
    }

    private static boolean isBrowsing(HttpServletRequest request) {
        String accept = request.getHeader(HttpHeaders.ACCEPT);
        return accept != null && accept.contains(MediaType.TEXT_HTML_VALUE);
    }

    private static void goThere(HttpServletResponse response) {
        response.setStatus(HttpServletResponse.SC_FOUND);
        response.setHeader(HttpHeaders.LOCATION, ROOT);
        response.setHeader(HttpHeaders.CACHE_CONTROL, "no-cache");
    }

    /** A path that is no file is one of the console's own pages; one with a dot may be, if a browser goes there. */
    private void serve(String name, HttpServletRequest request, HttpServletResponse response) throws IOException {
        boolean hasDot = name.substring(name.lastIndexOf('/') + 1).contains(".");
        Optional<ConsoleFile> file = hasDot ? file(name) : file(INDEX);
        if (file.isEmpty() && !name.startsWith(HASHED) && isBrowsing(request)) {
            file = file(INDEX);
        }
        if (file.isPresent()) {
            write(file.get(), name.startsWith(HASHED), request, response);
        } else {
            problems.write(request, response, Problem.of(ProblemType.NOT_FOUND, whyNot()));
        }
    }

    private String whyNot() {
        return file(INDEX).isPresent()
                ? "the console has no file of this name"
                : "this hub was built without the console; build it with 'mvn package', without -Dconsole.skip";
    }

    private Optional<ConsoleFile> file(String name) {
        ConsoleFile known = files.get(name);
        if (known != null) {
            return Optional.of(known);
        }
        Optional<ConsoleFile> read = NAME.matcher(name).matches() ? ConsoleFile.read(folder, name) : Optional.empty();
        read.ifPresent(file -> files.put(name, file));
        return read;
    }

    private static void write(
            ConsoleFile file, boolean hashed, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        response.setHeader(HttpHeaders.CACHE_CONTROL, hashed ? "public, max-age=31536000, immutable" : "no-cache");
        response.setContentType(file.type());
        byte[] content = file.content();
        if (file.isSmallerZipped()) {
            response.setHeader(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING);
            String accepted = request.getHeader(HttpHeaders.ACCEPT_ENCODING);
            if (accepted != null && accepted.matches("(?i).*\\bgzip\\b(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$)).*")) {
                response.setHeader(HttpHeaders.CONTENT_ENCODING, "gzip");
                content = file.zipped();
            }
        }
        response.setContentLength(content.length);
        if (!request.getMethod().equals("HEAD")) {
            response.getOutputStream().write(content);
        }
    }
}
