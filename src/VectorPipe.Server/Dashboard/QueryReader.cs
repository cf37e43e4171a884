using System.Globalization;
using System.Text.Json;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Net.Http.Headers;

namespace VectorPipe.Server.Dashboard;

/// <summary>Reads what a request asks for, and refuses what it does not know.</summary>
internal static class QueryReader
{
    private const long MostBodyBytes = 1 << 20;

    private static readonly string[] _known = ["set", "element", "count", "recall", "filter"];

    /// <summary>The query of a GET in its parameters, of a POST in its body.</summary>
    /// <exception cref="DashboardException">It is none.</exception>
    public static async Task<SearchQuery> ReadAsync(HttpContext context) =>
        HttpMethods.IsPost(context.Request.Method) ? await ReadBodyAsync(context) : ReadParameters(context.Request.Query);

    /// <summary>The one parameter that a request has.</summary>
    /// <exception cref="DashboardException">It is missing, or there are others.</exception>
    public static string ReadOnly(HttpContext context, string name)
    {
        Check(context.Request.Query, name);
        return context.Request.Query[name] is [{ } value] ? value : throw Bad($"{name}: expected the parameter once, found it never");
    }

    private static SearchQuery ReadParameters(IQueryCollection parameters)
    {
        Check(parameters, _known);
        return new SearchQuery
        {
            Set = parameters["set"],
            Element = parameters["element"],
            Count = Parse<int>(parameters, "count", "a whole number"),
            Recall = Parse<float>(parameters, "recall", "a number"),
            Filter = parameters["filter"] is [{ Length: > 0 } filter] ? filter : null,
        };
    }

    private static void Check(IQueryCollection parameters, params string[] known)
    {
        foreach ((string name, Microsoft.Extensions.Primitives.StringValues values) in parameters)
        {
            if (!known.Contains(name, StringComparer.Ordinal))
                throw Bad($"parameters: expected {string.Join(", ", known)}, found '{name}'");
            if (values.Count > 1)
                throw Bad($"{name}: expected the parameter once, found it {values.Count} times");
        }
    }

    private static T? Parse<T>(IQueryCollection parameters, string name, string expected)
        where T : struct, ISpanParsable<T>
    {
        if (parameters[name] is not [{ } text])
            return null;
        return T.TryParse(text, CultureInfo.InvariantCulture, out T value)
            ? value
            : throw Bad($"{name}: expected {expected}, found '{text}'");
    }

    private static async Task<SearchQuery> ReadBodyAsync(HttpContext context)
    {
        string found = context.Request.ContentType ?? "none";
        bool isJson = MediaTypeHeaderValue.TryParse(found, out MediaTypeHeaderValue? type)
            && type.MediaType.Equals("application/json", StringComparison.OrdinalIgnoreCase);
        if (!isJson)
            throw new DashboardException(
                StatusCodes.Status415UnsupportedMediaType, $"Content-Type: expected application/json, found {found}");
        context.Features.GetRequiredFeature<IHttpMaxRequestBodySizeFeature>().MaxRequestBodySize = MostBodyBytes;
        try
        {
            SearchQuery? query = await JsonSerializer.DeserializeAsync(
                context.Request.Body, DashboardJson.Default.SearchQuery, context.RequestAborted);
            return query ?? throw Bad("body: expected an object, found null");
        }
        catch (JsonException e)
        {
            throw Bad(
                "body: expected an object of set, element or vector, count, recall and filter, found something else at "
                + $"{e.Path ?? "$"}, line {e.LineNumber + 1}, byte {e.BytePositionInLine}");
        }
    }

    private static DashboardException Bad(string message) => new(StatusCodes.Status400BadRequest, message);
}
