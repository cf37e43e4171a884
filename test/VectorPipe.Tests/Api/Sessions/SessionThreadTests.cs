using NUnit.Framework;

namespace VectorPipe.Tests.Api.Sessions;

/// <summary>A session belongs to the thread that first searches with it; another thread gets an error.</summary>
[TestFixture]
internal sealed class SessionThreadTests
{
    private TestIndex _test = null!;

    [OneTimeSetUp]
    public void Build() => _test = TestIndex.Build(count: 500);

    [OneTimeTearDown]
    public void Delete() => _test.Dispose();

    [Test]
    public void Another_thread_can_neither_search_nor_dispose_and_the_session_goes_on()
    {
        using VectorIndex index = _test.Open();
        using SearchSession session = index.OpenSession();
        byte[] query = _test.MakeQueries(1);
        session.Search<byte>(query, 5, new SearchHit[5]);
        using (Assert.EnterMultipleScope())
        {
            Assert.That(
                OnAnotherThread(() => session.Search<byte>(query, 5, new SearchHit[5])),
                Is.TypeOf<InvalidOperationException>().With.Message.Contains("thread"));
            Assert.That(
                OnAnotherThread(() => session.TryGet<byte>(1, new byte[_test.Dimension])),
                Is.TypeOf<InvalidOperationException>().With.Message.Contains("thread"));
            Assert.That(
                OnAnotherThread(session.Dispose),
                Is.TypeOf<InvalidOperationException>().With.Message.Contains($"thread {Environment.CurrentManagedThreadId}"));
        }

        Assert.That(session.Search<byte>(query, 5, new SearchHit[5]).Hits, Is.EqualTo(5));
    }

    [Test]
    public void A_session_that_has_not_searched_belongs_to_no_thread()
    {
        using VectorIndex index = _test.Open();
        SearchSession session = index.OpenSession();
        Assert.That(OnAnotherThread(session.Dispose), Is.Null);
    }

    [Test]
    public void A_session_whose_thread_has_ended_is_disposed_by_another()
    {
        using VectorIndex index = _test.Open();
        SearchSession session = index.OpenSession();
        Assert.That(OnAnotherThread(() => session.Search<byte>(_test.MakeQueries(1), 5, new SearchHit[5])), Is.Null);
        session.Dispose();
    }

    private static Exception? OnAnotherThread(Action action)
    {
        Exception? error = null;
        var thread = new Thread(() =>
        {
            try
            {
                action();
            }
            catch (Exception e)
            {
                error = e;
            }
        });
        thread.Start();
        thread.Join();
        return error;
    }
}
