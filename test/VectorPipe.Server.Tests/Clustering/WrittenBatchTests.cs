using NUnit.Framework;
using VectorPipe.Cluster.Log;

namespace VectorPipe.Server.Tests.Clustering;

/// <summary>Outcomes that are asked for once for all records of a batch.</summary>
internal sealed class WrittenBatchTests
{
    [Test]
    public async Task All_who_ask_share_an_answer_and_whoever_comes_after_a_failure_asks_again()
    {
        var batch = new WrittenBatch(new LogPlace(12, 7), 3);
        var first = new TaskCompletionSource<bool[]>();
        var second = new TaskCompletionSource<bool[]>();
        var asked = new Queue<TaskCompletionSource<bool[]>>([first, second]);
        Task<bool[]> Ask() => batch.OutcomesAsync(_ => asked.Dequeue().Task);

        Task<bool[]>[] early = [Ask(), Ask()];
        first.SetException(new InvalidOperationException("no node"));
        foreach (Task<bool[]> one in early)
            await Assert.ThrowsAsync<InvalidOperationException>(() => one);

        Task<bool[]>[] late = [Ask(), Ask()];
        second.SetResult([true, false, true]);
        Assert.Multiple(() =>
        {
            Assert.That(late.Select(one => one.Result[1]), Is.EqualTo(new[] { false, false }));
            Assert.That(Ask().Result[2], Is.True);
            Assert.That(asked, Is.Empty);
            Assert.That(new WrittenRecord(batch, 2).Position, Is.EqualTo(12));
            Assert.That(batch.First, Is.EqualTo(10));
        });
    }
}
