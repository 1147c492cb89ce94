package dev.posthorn.server.api;

import dev.posthorn.audit.Actor;
import dev.posthorn.server.access.Allowed;
import dev.posthorn.server.access.Caller;
import dev.posthorn.server.access.Role;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.web.ProblemDocument;
import io.swagger.v3.core.converter.AnnotatedType;
import io.swagger.v3.core.converter.ModelConverters;
import io.swagger.v3.core.jackson.ModelResolver;
import io.swagger.v3.oas.models.Components;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.PathItem;
import io.swagger.v3.oas.models.info.Info;
import io.swagger.v3.oas.models.info.License;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.responses.ApiResponse;
import io.swagger.v3.oas.models.security.SecurityRequirement;
import io.swagger.v3.oas.models.security.SecurityScheme;
import io.swagger.v3.oas.models.servers.Server;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springdoc.core.customizers.OpenApiCustomizer;
import org.springdoc.core.customizers.OperationCustomizer;
import org.springdoc.core.providers.ObjectMapperProvider;
import org.springdoc.core.utils.SpringDocUtils;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.method.HandlerMethod;

/** What the description says besides what the controllers say, for the test that writes it. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("springdoc.api-docs.enabled")
class OpenApiDescription {

    private static final List<ProblemType> ANY = List.of(
            ProblemType.INVALID_REQUEST,
            ProblemType.NOT_FOUND,
            ProblemType.NOT_ACCEPTABLE,
            ProblemType.TOO_MANY_REQUESTS,
            ProblemType.INTERNAL,
            ProblemType.UNAVAILABLE);
    private static final List<ProblemType> WITH_KEY = List.of(ProblemType.NO_KEY, ProblemType.FORBIDDEN);
    private static final List<ProblemType> WITH_CHANGE = List.of(ProblemType.CONFLICT, ProblemType.STALE);
    private static final List<ProblemType> WITH_BODY =
            List.of(ProblemType.TOO_SLOW, ProblemType.TOO_LARGE, ProblemType.UNSUPPORTED_MEDIA_TYPE);

    OpenApiDescription() {
        SpringDocUtils.getConfig()
                .addRequestWrapperToIgnore(Caller.class, Actor.class)
                .replaceWithSchema(
                        Duration.class, new Schema<String>().type("string").example("30s"));
    }

    /** Enums as the API writes them. */
    @Bean
    ModelResolver modelResolver(ObjectMapperProvider mappers) {
        return new ModelResolver(mappers.jsonMapper()
                .copy()
                .enable(com.fasterxml.jackson.databind.SerializationFeature.WRITE_ENUMS_USING_TO_STRING));
    }

    @Bean
    OpenApiCustomizer posthorn() {
        return api -> {
            api.info(new Info()
                    .title("Posthorn")
                    .version("v1")
                    .description("Takes events and delivers them to subscribers.")
                    .license(new License().name("Apache-2.0").identifier("Apache-2.0")));
            api.servers(List.of(new Server().url("http://127.0.0.1:8080")));
            api.security(
                    List.of(new SecurityRequirement().addList("bearer"), new SecurityRequirement().addList("apiKey")));
            describe(components(api));
            api.getPaths().forEach(OpenApiDescription::tellApart);
        };
    }

    /** A short path is another name of a call, whose id is taken. */
    private static void tellApart(String path, PathItem calls) {
        if (!path.startsWith("/v1/")) {
            calls.readOperations().forEach(call -> {
                call.operationId(call.getOperationId() + "Shortly");
                call.summary(call.getSummary() + ": the same as /v1" + path);
            });
        }
    }

    private static Components components(OpenAPI api) {
        if (api.getComponents() == null) {
            api.components(new Components());
        }
        return api.getComponents();
    }

    private static void describe(Components components) {
        components.addSecuritySchemes(
                "bearer", new SecurityScheme().type(SecurityScheme.Type.HTTP).scheme("bearer"));
        components.addSecuritySchemes(
                "apiKey",
                new SecurityScheme()
                        .type(SecurityScheme.Type.APIKEY)
                        .in(SecurityScheme.In.HEADER)
                        .name("X-API-Key"));
        ModelConverters.getInstance(true)
                .resolveAsResolvedSchema(new AnnotatedType(ProblemDocument.class))
                .referencedSchemas
                .forEach(components::addSchemas);
        for (ProblemType each : ProblemType.values()) {
            components.addResponses(name(each), problem(each));
        }
    }

    private static ApiResponse problem(ProblemType type) {
        return new ApiResponse()
                .description(type.title())
                .content(new Content()
                        .addMediaType(
                                "application/problem+json",
                                new MediaType().schema(new Schema<>().$ref("#/components/schemas/ProblemDocument"))));
    }

    private static String name(ProblemType type) {
        return type.urn().substring(type.urn().lastIndexOf(':') + 1);
    }

    @Bean
    OperationCustomizer rolesAndProblems() {
        return (operation, call) -> {
            Allowed allowed = call.getMethodAnnotation(Allowed.class);
            if (allowed == null) {
                operation.security(List.of());
            } else {
                operation.description(described(operation, allowed));
            }
            operation.operationId(id(call));
            problems(operation, call, allowed != null)
                    .forEach(each -> operation
                            .getResponses()
                            .putIfAbsent(
                                    String.valueOf(each.status()),
                                    new ApiResponse().$ref("#/components/responses/" + name(each))));
            return operation;
        };
    }

    /** Of the method and its controller, so that no call's id depends on which other calls there are. */
    private static String id(HandlerMethod call) {
        return call.getMethod().getName() + call.getBeanType().getSimpleName().replace("Controller", "");
    }

    private static String described(Operation operation, Allowed allowed) {
        String roles = Stream.concat(Arrays.stream(allowed.value()), Stream.of(Role.ADMIN))
                .distinct()
                .map(Role::toString)
                .collect(Collectors.joining(", "));
        String before = operation.getDescription() == null ? "" : operation.getDescription() + " ";
        return before + "Roles: " + roles + ".";
    }

    private static List<ProblemType> problems(Operation operation, HandlerMethod call, boolean needsKey) {
        boolean reads = call.hasMethodAnnotation(org.springframework.web.bind.annotation.GetMapping.class);
        List<ProblemType> types = new ArrayList<>(ANY);
        types.addAll(needsKey ? WITH_KEY : List.of());
        types.addAll(reads ? List.of() : WITH_CHANGE);
        types.addAll(operation.getRequestBody() == null ? List.of() : WITH_BODY);
        return types;
    }
}
