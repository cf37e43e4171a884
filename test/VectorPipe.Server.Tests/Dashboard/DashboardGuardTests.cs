using System.Text;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Server.Access;
using VectorPipe.Server.Dashboard;

namespace VectorPipe.Server.Tests.Dashboard;

/// <summary>What goes wrong behind the dashboard becomes an answer.</summary>
[TestFixture]
public sealed class DashboardGuardTests
{
    [Test]
    public async Task Too_many_searches_are_an_answer_of_503()
    {
        DefaultHttpContext context = await RunAsync(_ => throw new SearchOverloadedException("expected fewer"));
        Assert.That(context.Response.StatusCode, Is.EqualTo(503));
        Assert.That(BodyOf(context), Is.EqualTo("""{"error":"BUSY expected fewer"}"""));
        Assert.That(context.Response.Headers.RetryAfter.ToString(), Is.EqualTo("1"));
    }

    [Test]
    public async Task An_error_that_nobody_expects_is_an_answer_of_500()
    {
        DefaultHttpContext context = await RunAsync(_ => throw new InvalidOperationException("a defect"));
        Assert.That(context.Response.StatusCode, Is.EqualTo(500));
        Assert.That(BodyOf(context), Is.EqualTo("""{"error":"internal error: a defect"}"""));
    }

    private static async Task<DefaultHttpContext> RunAsync(Func<HttpContext, Task> run)
    {
        AccessList access = AccessList.Open(password: null, file: null, TimeProvider.System);
        var server = new ServerState(new ServerOptions(), sets: null!, access, NullLogger.Instance, TimeProvider.System);
        var context = new DefaultHttpContext();
        context.Request.Host = new HostString("localhost", 80);
        context.Response.Body = new MemoryStream();
        await new DashboardGuard(server).Protect(run)(context);
        return context;
    }

    private static string BodyOf(HttpContext context) => Encoding.UTF8.GetString(((MemoryStream)context.Response.Body).ToArray());
}
