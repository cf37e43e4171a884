using VectorPipe.Searching.State;

namespace VectorPipe.Tests.Searching.State;

internal static class WaitingLinkCopies
{
    public static WaitingLink[] ToArray(this PageWaitingLinks links)
    {
        var copies = new WaitingLink[links.Count];
        for (int link = 0; link < links.Count; link++)
            copies[link] = links[link];
        return copies;
    }
}
