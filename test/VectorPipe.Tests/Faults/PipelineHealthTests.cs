using NUnit.Framework;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Faults;

/// <summary>The count of open files that every case checks while other tests run.</summary>
internal sealed class PipelineHealthTests
{
    [TestCase(50)]
    [TestCase(400, Category = "Heavy")]
    [Platform("Linux")]
    public void Open_files_of_a_folder_are_counted_while_others_open_and_close_files(int looks)
    {
        using TemporaryFolder folder = new(), other = new();
        File.WriteAllText(folder.File("open"), "");
        File.WriteAllText(other.File("busy"), "");
        using FileStream first = File.OpenRead(folder.File("open")), second = File.OpenRead(folder.File("open"));
        bool isOver = false;
        var busy = new Thread(() =>
        {
            while (!Volatile.Read(ref isOver))
                File.OpenRead(other.File("busy")).Dispose();
        });
        busy.Start();
        try
        {
            for (int i = 0; i < looks; i++)
                Assert.That(PipelineHealth.OpenDescriptors(folder.Path), Is.EqualTo(2), $"look {i}");
        }
        finally
        {
            Volatile.Write(ref isOver, true);
            busy.Join();
        }
    }
}
