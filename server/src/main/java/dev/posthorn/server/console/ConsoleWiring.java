package dev.posthorn.server.console;

import dev.posthorn.server.web.ProblemWriter;
import java.util.Map;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;

/** Puts the console where browsers look for it. */
@Configuration(proxyBeanMethods = false)
class ConsoleWiring {

    @Bean
    SimpleUrlHandlerMapping consoleMapping(ProblemWriter problems) {
        ConsoleFiles files = new ConsoleFiles(problems, ConsoleFiles.FOLDER);
        return new SimpleUrlHandlerMapping(
                Map.of("/", files, "/console", files, "/console/**", files), Ordered.LOWEST_PRECEDENCE - 1);
    }
}
