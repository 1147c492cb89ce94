package dev.posthorn.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.server.SharedHub;
import dev.posthorn.server.TestHub;
import dev.posthorn.server.web.ProblemWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

/** There is a console on the class path of all tests, so this one asks for a folder that is not there. */
@ExtendWith(SharedHub.class)
class NoConsoleTest {

    @Test
    void aHubWithoutConsoleSaysHowToBuildOneWithIt(TestHub hub) throws Exception {
        ConsoleFiles files = new ConsoleFiles(hub.bean(ProblemWriter.class), "META-INF/posthorn/no-console/");
        for (String path : new String[] {"/console/", "/console/events", "/console/assets/a.js"}) {
            MockHttpServletRequest request = new MockHttpServletRequest("GET", path);
            request.setServletPath(path);
            MockHttpServletResponse response = new MockHttpServletResponse();
            files.handleRequest(request, response);
            assertThat(response.getStatus()).isEqualTo(404);
            assertThat(response.getContentAsString()).contains("without the console", "console.skip");
        }
    }
}
